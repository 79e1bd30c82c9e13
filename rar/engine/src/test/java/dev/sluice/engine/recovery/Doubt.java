package dev.sluice.engine.recovery;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Transactions that are prepared and then left alone. */
public final class Doubt {

    private final QueueFixture fixture;

    /** Creates the table {@code entry} that they write to. */
    public Doubt(QueueFixture fixture) throws SQLException {
        this.fixture = fixture;
        fixture.execute("create table entry (n int)");
        fixture.execute("grant insert on entry to public");
    }

    /** Prepares a transaction with one row of {@code entry}; returns its name, as a transaction manager gives it. */
    public String prepare() throws SQLException {
        String gid = TestTransaction.newXid().toString();
        prepare(gid);
        return gid;
    }

    /** Prepares a transaction with one row of {@code entry}. */
    public void prepare(String gid) throws SQLException {
        prepareAs(null, gid);
    }

    /** As this role; null for the superuser. */
    public void prepareAs(String role, String gid) throws SQLException {
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            if (role != null) {
                statement.execute("set session authorization " + role);
            }
            connection.setAutoCommit(false);
            statement.execute("insert into entry values (1)");
            statement.execute("prepare transaction '" + gid.replace("'", "''") + "'");
        }
    }

    /** What {@code resolve} answers. */
    public String resolve(String gid, String verdict) throws SQLException {
        return fixture.query("select sluice.resolve(" + literal(gid) + ", " + literal(verdict) + ")");
    }

    static String literal(String text) {
        return text == null ? "null" : "'" + text.replace("'", "''") + "'";
    }

    /** Whether something is prepared under this name, in any database. */
    public boolean isPrepared(String gid) throws SQLException {
        return "t"
                .equals(fixture.query(
                        "select exists (select from pg_prepared_xacts where gid = " + literal(gid) + ")"));
    }

    /** How many of them have committed. */
    public String entries() throws SQLException {
        return fixture.query("select count(*) from entry");
    }

    /** This expression over the record of what was decided of a transaction. */
    public String record(String expression, String gid) throws SQLException {
        return fixture.query("select " + expression + " from sluice.resolution where gid = " + literal(gid));
    }

    /** What the XA specification calls a heuristic decision: asked for, and carried out at once. */
    public void decide(String gid, String verdict) throws SQLException {
        resolve(gid, verdict);
        try (Connection control = fixture.connect()) {
            new InDoubtWatch(fixture.database()).look(control);
        }
    }
}
