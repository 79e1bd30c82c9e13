package dev.sluice.bench.handlers;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The ledger of what was done, which would take the same job twice: that it does not happen is for the bench to see. */
final class Ledger {

    private static final String ENTER = "/* bench:enter */ insert into bench.ledger (number, queue) values (?, ?)";

    private Ledger() {}

    static void enter(DataSource database, String queue, NumberedJob job) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(ENTER)) {
            insert.setLong(1, job.number());
            insert.setString(2, queue);
            insert.executeUpdate();
        }
    }
}
