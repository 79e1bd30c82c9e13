package dev.sluice.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Idle connections of one purpose. It never waits: whoever borrows is already limited in number, a delivery by the
 * concurrency of its handler.
 */
public final class Connections implements AutoCloseable {

    private final Database database;
    private final String purpose;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();

    private volatile boolean closed;

    public Connections(Database database, String purpose) {
        this.database = database;
        this.purpose = purpose;
    }

    /** A connection in autocommit, for the caller alone. */
    public Connection borrow() throws SQLException {
        Connection connection = idle.pollFirst();
        return connection != null ? connection : database.open(purpose);
    }

    /** Takes back a connection that is in autocommit and without a transaction. */
    public void giveBack(Connection connection) {
        idle.addFirst(connection);
        if (closed) {
            close();
        }
    }

    /** Takes back a connection that is not to be used again, and drops the idle ones with it. */
    public void discard(Connection connection) {
        closeQuietly(connection);
        closeIdle();
    }

    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    private void closeIdle() {
        for (Connection connection = idle.pollFirst(); connection != null; connection = idle.pollFirst()) {
            closeQuietly(connection);
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // it is of no use to anybody any more
        }
    }
}
