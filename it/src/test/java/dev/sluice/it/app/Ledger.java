package dev.sluice.it.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Writes what a handler did. The table has no unique constraint, so what happens twice is seen twice. */
public final class Ledger {

    private Ledger() {}

    public static void enter(DataSource dataSource, long job, int attempt) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("insert into ledger (job, attempt) values (?, ?)")) {
            insert.setLong(1, job);
            insert.setInt(2, attempt);
            insert.executeUpdate();
        }
    }
}
