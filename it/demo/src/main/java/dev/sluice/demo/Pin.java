package dev.sluice.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A stranger's transaction that stays open and holds the MVCC horizon: while it does, vacuum can remove nothing that was
 * deleted since.
 */
final class Pin implements AutoCloseable {

    private static final String HELD = """
            /* demo:pin */
            select pg_backend_pid() as pid, coalesce(backend_xmin, backend_xid)::text as horizon
            from pg_stat_activity where pid = pg_backend_pid()""";

    private final Connection connection;
    private final String description;

    private Pin(Connection connection, DemoSettings.PinKind kind) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            switch (kind) {
                // taken by the first statement and kept by every further one
                case SNAPSHOT -> statement.execute("set transaction isolation level repeatable read");
                case XID -> statement.execute("select pg_current_xact_id()");
                case NONE -> throw new IllegalArgumentException("none is no pin");
            }
            try (ResultSet row = statement.executeQuery(HELD)) {
                row.next();
                description = DemoSettings.word(kind) + " of backend " + row.getInt("pid") + " since transaction "
                        + row.getString("horizon");
            }
        }
    }

    /**
     * Begins to hold the horizon.
     *
     * @param connection the pin's own; closed with it
     */
    static Pin hold(Connection connection, DemoSettings.PinKind kind) throws SQLException {
        return new Pin(connection, kind);
    }

    /** Whether the transaction is still open: somebody may have ended it. */
    boolean holds() {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select");
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /** What is held, for a person. */
    @Override
    public String toString() {
        return description;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
