package dev.sluice.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.xa.Gid;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What {@code sluice.resolve} notes and what it refuses. No node is running, so nothing is carried out. */
@Timeout(60)
class ResolveTest {

    private static final String ROLE = "resolve_test";
    private static final String OTHER = "resolve_other";

    private QueueFixture fixture;
    private Doubt doubt;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        doubt = new Doubt(fixture);
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private ServerErrorMessage refused(String state, String gid, String verdict) throws SQLException {
        return refused(state, "select sluice.resolve(" + Doubt.literal(gid) + ", " + Doubt.literal(verdict) + ")");
    }

    private ServerErrorMessage refused(String state, String sql) throws SQLException {
        PSQLException error = assertThrows(PSQLException.class, () -> fixture.query(sql));
        ServerErrorMessage message = error.getServerErrorMessage();
        assertEquals(state, message.getSQLState(), message.toString());
        assertTrue(message.getHint() != null && !message.getHint().isEmpty(), "has a hint: " + message);
        return message;
    }

    private void rollBack(String gid) throws SQLException {
        fixture.execute("rollback prepared " + Doubt.literal(gid));
    }

    @Test
    @DisplayName("A verdict is noted with who asked for it and when, and nothing has happened yet")
    void noted() throws Exception {
        String gid = doubt.prepare();
        String answer = doubt.resolve(gid, "commit");
        assertTrue(answer.contains("no node is alive"), answer);
        assertEquals("commit", doubt.record("verdict", gid));
        assertEquals("postgres", doubt.record("requested_by", gid));
        assertEquals(
                "t",
                doubt.record(
                        "requested_at > now() - interval '1 min' and done_at is null and outcome is null"
                                + " and error is null and forgotten_at is null",
                        gid));
        assertTrue(doubt.isPrepared(gid));
        rollBack(gid);
    }

    @Test
    @DisplayName("The verdict may be written in capitals, and where a node is alive the answer says that it does it")
    void capitals() throws Exception {
        String gid = doubt.prepare();
        fixture.node();
        assertTrue(doubt.resolve(gid, "ROLLBACK").contains("with one of its next two heartbeats"));
        assertEquals("rollback", doubt.record("verdict", gid));
        rollBack(gid);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "maybe", "commit;", "commit prepared", "%", "'"})
    @DisplayName("What is no verdict is refused")
    void nonsense(String verdict) throws Exception {
        String gid = doubt.prepare();
        ServerErrorMessage error = refused("22023", gid, verdict);
        assertTrue(error.getMessage().contains("commit or rollback"), error.toString());
        assertEquals("0", fixture.query("select count(*) from sluice.resolution"));
        rollBack(gid);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "none", "1_AQ==_AQ==", "a'b", "%s %", "{0}"})
    @DisplayName("A name that nothing is prepared under is refused, and the error says what there is")
    void unknown(String gid) throws Exception {
        assertTrue(refused("42704", gid, "commit").getHint().contains("none"));
        String one = doubt.prepare();
        String two = doubt.prepare();
        ServerErrorMessage error = refused("42704", gid, "commit");
        assertTrue(error.getHint().contains(one + ", " + two), error.toString());
        rollBack(one);
        rollBack(two);
    }

    @Test
    @DisplayName("A name of a megabyte is refused with an error that is short")
    void longName() throws Exception {
        ServerErrorMessage error = refused("42704", "select sluice.resolve(repeat('x', 1000000), 'commit')");
        assertTrue(
                error.toString().length() < 1_000,
                () -> "it has " + error.toString().length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"somebody's", "1_2_3_4", "x_AQ==_AQ==", "01_AQ==_AQ==", "99999999999_AQ==_AQ=="})
    @DisplayName("What another program named is refused, and the error says whose it is")
    void foreign(String gid) throws Exception {
        doubt.prepare(gid);
        ServerErrorMessage error = refused("22023", gid, "rollback");
        assertTrue(error.getHint().contains("postgres"), error.toString());
        assertEquals("0", fixture.query("select count(*) from sluice.in_doubt"));
        assertTrue(doubt.isPrepared(gid));
        rollBack(gid);
    }

    @Test
    @DisplayName("What is prepared in another database is refused, and the error names that")
    void otherDatabase() throws Exception {
        try (QueueFixture elsewhere = new QueueFixture()) {
            Doubt there = new Doubt(elsewhere);
            String gid = there.prepare();
            ServerErrorMessage error = refused("42704", gid, "commit");
            assertTrue(error.getMessage().contains(elsewhere.databaseName()), error.toString());
            assertEquals("0", fixture.query("select count(*) from sluice.in_doubt"));
            there.resolve(gid, "rollback");
            elsewhere.execute("rollback prepared '" + gid + "'");
        }
    }

    @Test
    @DisplayName(
            "A role that neither prepared it nor is a member of that role is refused; the error says what to grant")
    void rights() throws Exception {
        fixture.execute("drop role if exists " + ROLE + ", " + OTHER);
        fixture.execute("create role " + ROLE);
        fixture.execute("create role " + OTHER);
        fixture.execute("grant usage on schema sluice to " + ROLE + ", " + OTHER);
        fixture.execute("grant all on all tables in schema sluice to " + ROLE + ", " + OTHER);
        String gid = dev.sluice.engine.TestTransaction.newXid().toString();
        try {
            doubt.prepareAs(OTHER, gid);
            PSQLException refused =
                    assertThrows(PSQLException.class, () -> as(ROLE, "select sluice.resolve('" + gid + "', 'commit')"));
            ServerErrorMessage error = refused.getServerErrorMessage();
            assertEquals("42501", error.getSQLState());
            assertTrue(
                    error.getMessage().contains("\"" + ROLE + "\"")
                            && error.getMessage().contains(OTHER),
                    error.toString());
            assertTrue(error.getHint().contains("grant " + OTHER + " to " + ROLE), error.toString());
            assertEquals("f", as(ROLE, "select may_resolve from sluice.in_doubt"));
            assertEquals("0", fixture.query("select count(*) from sluice.resolution"));

            assertEquals("t", as(OTHER, "select may_resolve from sluice.in_doubt"));
            as(OTHER, "select sluice.resolve('" + gid + "', 'commit')");
            fixture.execute("delete from sluice.resolution");

            fixture.execute("grant " + OTHER + " to " + ROLE);
            assertEquals("t", as(ROLE, "select may_resolve from sluice.in_doubt"));
            as(ROLE, "select sluice.resolve('" + gid + "', 'commit')");
            assertEquals("postgres", doubt.record("requested_by", gid));
            // membership is one thing, the right to become the role another
            fixture.execute("delete from sluice.resolution");
            fixture.execute("grant " + OTHER + " to " + ROLE + " with set false");
            assertEquals("f", as(ROLE, "select may_resolve from sluice.in_doubt"));
        } finally {
            rollBack(gid);
            fixture.execute("drop owned by " + ROLE + ", " + OTHER);
            fixture.execute("drop role " + ROLE + ", " + OTHER);
        }
    }

    private String as(String role, String query) throws SQLException {
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set role " + role);
            try (ResultSet row = statement.executeQuery(query)) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    @Test
    @DisplayName(
            "Asking for the same again changes nothing; asking for the opposite is refused and says who asked first")
    void again() throws Exception {
        String gid = doubt.prepare();
        String answer = doubt.resolve(gid, "commit");
        String record = doubt.record("resolution::text", gid);
        assertEquals(answer, doubt.resolve(gid, "commit"));
        assertEquals(record, doubt.record("resolution::text", gid));
        ServerErrorMessage error = refused("55000", gid, "rollback");
        assertTrue(error.getDetail().contains("postgres asked for its commit"), error.toString());
        assertEquals(record, doubt.record("resolution::text", gid));

        doubt.decide(gid, "commit");
        assertTrue(doubt.resolve(gid, "commit").startsWith("commit was done at "));
        error = refused("55000", gid, "rollback");
        assertTrue(error.getDetail().contains("It ended at"), error.toString());
        assertEquals("1", doubt.entries());
    }

    @Test
    @DisplayName("Two operators at once: one verdict is noted, and who wanted the other is refused")
    void atOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            String gid = doubt.prepare();
            List<CompletableFuture<Boolean>> asked = List.of("commit", "rollback").stream()
                    .map(verdict -> CompletableFuture.supplyAsync(() -> accepted(gid, verdict)))
                    .toList();
            assertTrue(asked.get(0).get() ^ asked.get(1).get(), "one of them");
            assertEquals("1", doubt.record("count(*)", gid));
            assertEquals(asked.get(0).get() ? "commit" : "rollback", doubt.record("verdict", gid));
            rollBack(gid);
        }
    }

    private boolean accepted(String gid, String verdict) {
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("select sluice.resolve('" + gid + "', '" + verdict + "')");
            return true;
        } catch (SQLException e) {
            assertEquals("55000", e.getSQLState());
            return false;
        }
    }

    @Test
    @DisplayName("A name that is given a second time is another transaction, which is decided by itself")
    void nameGivenAgain() throws Exception {
        String gid = doubt.prepare();
        doubt.decide(gid, "rollback");
        doubt.prepare(gid);
        assertNull(fixture.query("select verdict from sluice.in_doubt"));
        doubt.decide(gid, "commit");
        assertEquals("1", doubt.entries());
        assertEquals("rollback, commit", doubt.record("string_agg(outcome, ', ' order by requested_at)", gid));
    }

    @Test
    @DisplayName("The view tells owner, age and verdict of each")
    void view() throws Exception {
        String gid = doubt.prepare();
        assertEquals(
                "t",
                fixture.query("select gid = '" + gid + "' and owner = 'postgres' and may_resolve and verdict is null"
                        + " and error is null and prepared_at < clock_timestamp() and age >= '0' and age < '1 min'"
                        + " from sluice.in_doubt"));
        doubt.resolve(gid, "rollback");
        assertEquals("rollback", fixture.query("select verdict from sluice.in_doubt"));
        rollBack(gid);
        assertEquals("0", fixture.query("select count(*) from sluice.in_doubt"));
    }

    @Test
    @DisplayName("The transaction's id is right, also when it is asked for from an old snapshot")
    void transactionId() throws Exception {
        assertEquals(
                "t",
                fixture.query("select sluice.full_xid(id::text::xid) = id from (select pg_current_xact_id()) x(id)"));
        try (Connection old = fixture.connect();
                Statement statement = old.createStatement()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("select 1");
            fixture.query("select pg_current_xact_id()");
            String gid = doubt.prepare();
            statement.execute("select sluice.resolve('" + gid + "', 'commit')");
            old.commit();
            assertEquals(
                    "t",
                    fixture.query("select r.transaction::xid = p.transaction from sluice.resolution r"
                            + " join pg_prepared_xacts p using (gid)"));
            rollBack(gid);
            assertEquals("rollback", doubt.record("sluice.outcome(transaction)", gid));
        }
    }

    @Test
    @DisplayName("SQL and Java agree on what a transaction manager's name looks like")
    void sameFormat() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            byte[] gtrid = new byte[random.nextInt(65)];
            byte[] bqual = new byte[random.nextInt(65)];
            random.nextBytes(gtrid);
            random.nextBytes(bqual);
            String name = new Gid(random.nextInt(), gtrid, bqual).toString();
            assertSame(name);
            StringBuilder changed = new StringBuilder(name);
            changed.setCharAt(random.nextInt(name.length()), "A1+/=_-\u00e9\n' ".charAt(random.nextInt(11)));
            assertSame(changed.toString());
        }
        for (String name : new String[] {
            "",
            "_",
            "__",
            "0__",
            "-0__",
            "-1__",
            "2147483647__",
            "2147483648__",
            "-2147483648__",
            "-2147483649__",
            "1_AR==_AQ==",
            "1_AQ==_AQ==\n",
            "\n1_AQ==_AQ==",
            "\u0661_AQ==_AQ=="
        }) {
            assertSame(name);
        }
    }

    private void assertSame(String name) throws SQLException {
        assertEquals(
                Gid.parse(name).isPresent() ? "t" : "f",
                fixture.query("select sluice.is_branch(" + Doubt.literal(name) + ")"),
                name);
    }

    @Test
    @DisplayName("Nothing is forgotten that is not resolved")
    void forgetsNothing() throws Exception {
        String gid = doubt.prepare();
        assertEquals("f", fixture.query("select sluice.forget('" + gid + "')"));
        doubt.resolve(gid, "rollback");
        assertEquals("f", fixture.query("select sluice.forget('" + gid + "')"));
        assertFalse("t".equals(doubt.record("forgotten_at is not null", gid)));
        doubt.decide(gid, "rollback");
        assertEquals("t", fixture.query("select sluice.forget('" + gid + "')"));
        assertEquals("f", fixture.query("select sluice.forget('" + gid + "')"));
        assertEquals("f", fixture.query("select sluice.forget(null)"));
    }
}
