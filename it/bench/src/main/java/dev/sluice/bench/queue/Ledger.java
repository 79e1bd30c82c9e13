package dev.sluice.bench.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The ledger of what was done, which would take the same job twice: that it does not happen is for the bench to see. */
final class Ledger {

    private static final String ENTER = "/* bench:enter */ insert into bench.ledger (number, queue) values (?, ?)";

    private Ledger() {}

    /** Enters jobs, in the connection's transaction. */
    static void enter(Connection connection, String queue, Iterable<Long> numbers) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(ENTER)) {
            for (long number : numbers) {
                insert.setLong(1, number);
                insert.setString(2, queue);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}
