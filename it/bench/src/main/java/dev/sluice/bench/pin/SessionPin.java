package dev.sluice.bench.pin;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A session that is idle in a transaction. It holds the horizon as long as what it has in pg_stat_activity stays the same. */
final class SessionPin implements Pin {

    /** What shows that a session holds a snapshot. */
    static final String SNAPSHOT = "backend_xmin";

    /** What shows that a session has a transaction id. */
    static final String TRANSACTION = "backend_xid";

    private static final String APPLICATION = "sluice-bench pin";

    private static final String PROOF = """
            /* bench:pin proof */
            select {column}::text from pg_stat_activity where pid = ? and age({column}) >= 0""";

    private final Connection session;
    private final Connection witness;
    private final int pid;
    private final String proof;
    private final String held;

    private SessionPin(Connection session, Connection witness, String column) throws SQLException {
        this.session = session;
        this.witness = witness;
        this.pid = pid(session);
        this.proof = PROOF.replace("{column}", column);
        this.held = seen();
    }

    /**
     * Begins a transaction in the database of the queue, and leaves it alone.
     *
     * @param isolation as in {@link Connection}
     * @param act       what it does
     * @param column    of pg_stat_activity that shows how it holds the horizon
     */
    static SessionPin hold(Database database, int isolation, String act, String column) throws SQLException {
        Connection session = database.connect(Database.QUEUE, APPLICATION, "");
        Connection witness = database.connect(Database.QUEUE, APPLICATION + " witness", "");
        session.setTransactionIsolation(isolation);
        session.setAutoCommit(false);
        try (Statement statement = session.createStatement()) {
            statement.execute(act);
        }
        return new SessionPin(session, witness, column);
    }

    private static int pid(Connection session) throws SQLException {
        try (Statement statement = session.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    int pid() {
        return pid;
    }

    Connection witness() {
        return witness;
    }

    private String seen() throws SQLException {
        try (PreparedStatement query = witness.prepareStatement(proof)) {
            query.setInt(1, pid);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    @Override
    public boolean active() throws SQLException {
        return held != null && held.equals(seen());
    }

    @Override
    public void close() throws SQLException {
        Pin.end(session);
        witness.close();
    }
}
