package dev.sluice.bench.pin;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A prepared transaction. It is committed at the end, so its job is to be done like any other. */
final class PreparedPin implements Pin {

    private static final String GID = "sluice-bench pin";

    private static final String PROOF = """
            /* bench:pin proof */
            select transaction::text from pg_prepared_xacts
            where gid = '%s' and database = current_database() and age(transaction) >= 0""".formatted(GID);

    private final Connection witness;
    private final String held;

    private PreparedPin(Connection witness) throws SQLException {
        this.witness = witness;
        this.held = seen();
    }

    static PreparedPin hold(Database database, PinKind.EarlyJob job) throws SQLException {
        try (Connection session = database.connect(Database.QUEUE);
                Statement statement = session.createStatement()) {
            session.setAutoCommit(false);
            job.enqueue(session);
            statement.execute("prepare transaction '" + GID + "'");
        }
        return new PreparedPin(database.connect(Database.QUEUE));
    }

    private String seen() throws SQLException {
        try (Statement statement = witness.createStatement();
                ResultSet row = statement.executeQuery(PROOF)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    public boolean active() throws SQLException {
        return held != null && held.equals(seen());
    }

    @Override
    public void close() throws SQLException {
        try (Statement statement = witness.createStatement()) {
            statement.execute("commit prepared '" + GID + "'");
        } finally {
            witness.close();
        }
    }
}
