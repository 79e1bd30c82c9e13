package dev.sluice.engine.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;

/**
 * Idle connections of one purpose. It never waits: whoever borrows is already limited in number, a delivery by the
 * concurrency of its handler.
 */
public final class Connections implements AutoCloseable {

    /** Idle for longer than this, a connection may be one of a server that is gone, and is tried before it is given. */
    private static final Duration TRUSTED = Duration.ofSeconds(1);

    private static final int VALIDATION_SECONDS = 5;

    private record Idle(Connection connection, long since) {}

    private final Database database;
    private final Supplier<String> purpose;
    private final String setUp;
    private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    /**
     * @param purpose shown in {@code pg_stat_activity}; asked for each new connection
     * @param setUp   executed once on each new connection; empty for nothing
     */
    public Connections(Database database, Supplier<String> purpose, String setUp) {
        this.database = database;
        this.purpose = purpose;
        this.setUp = setUp;
    }

    /** What is done on a connection. */
    public interface Call<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Does something on a connection in autocommit. One on which it fails is not used again. */
    public <T> T with(Call<T> call) throws SQLException {
        Connection connection = borrow();
        try {
            T result = call.on(connection);
            giveBack(connection);
            return result;
        } catch (SQLException e) {
            broke(connection);
            throw e;
        }
    }

    /** A connection in autocommit, for the caller alone. */
    public Connection borrow() throws SQLException {
        for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            if (System.nanoTime() - next.since() < TRUSTED.toNanos()
                    || next.connection().isValid(VALIDATION_SECONDS)) {
                return next.connection();
            }
            // with it all that idled: each would cost that wait again
            broke(next.connection());
        }
        Connection connection = database.open(purpose.get());
        try (Statement statement = connection.createStatement()) {
            statement.execute(setUp);
            return connection;
        } catch (SQLException e) {
            closeQuietly(connection);
            throw e;
        }
    }

    /** Takes back a connection that is in autocommit and without a transaction. */
    public void giveBack(Connection connection) {
        idle.addFirst(new Idle(connection, System.nanoTime()));
        if (closed) {
            closeIdle();
        }
    }

    /** Takes back a connection that is not for others. */
    public void discard(Connection connection) {
        closeQuietly(connection);
    }

    /** Takes back a connection that broke, and drops the idle ones with it: as a rule they broke together. */
    public void broke(Connection connection) {
        closeQuietly(connection);
        closeIdle();
    }

    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    /** Closes those that idle. */
    public void closeIdle() {
        for (Idle next = idle.pollFirst(); next != null; next = idle.pollFirst()) {
            closeQuietly(next.connection());
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
