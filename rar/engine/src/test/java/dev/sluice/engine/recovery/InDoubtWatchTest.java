package dev.sluice.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.CapturedLog;
import dev.sluice.engine.Engine;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Setting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that see transactions in doubt and carry out what people decided. */
@Timeout(60)
class InDoubtWatchTest {

    private static final String ROLE = "watch_test";
    private static final String OWNER = "watch_owner";

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

    @Test
    @DisplayName("What a node prepared that never comes back another node ends as a person decided; the record stays")
    void nodeOfNoReturn() throws Exception {
        String wanted = doubt.prepare();
        String unwanted = doubt.prepare();
        String undecided = doubt.prepare();
        fixture.engine();
        doubt.resolve(wanted, "commit");
        doubt.resolve(unwanted, "rollback");
        fixture.await("0", "select count(*) from sluice.resolution where done_at is null");
        assertEquals("commit", doubt.record("outcome", wanted));
        assertEquals("rollback", doubt.record("outcome", unwanted));
        assertEquals("2", fixture.query("select count(*) from sluice.resolution where error is null"));
        assertEquals("1", doubt.entries());
        assertEquals(undecided, fixture.query("select string_agg(gid, ' ') from sluice.in_doubt"));
        fixture.execute("rollback prepared '" + undecided + "'");
    }

    @Test
    @DisplayName("A verdict that was asked for while no node lived is carried out by the first that starts")
    void askedBefore() throws Exception {
        String gid = doubt.prepare();
        doubt.resolve(gid, "commit");
        fixture.engine();
        fixture.await("1", "select count(*) from entry");
    }

    @Test
    @DisplayName("Several nodes at once end each transaction once, and note no error")
    void severalNodes() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> problems = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 20; i++) {
            doubt.resolve(doubt.prepare(), i % 2 == 0 ? "commit" : "rollback");
        }
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                try (Connection control = fixture.connect()) {
                    InDoubtWatch watch = new InDoubtWatch(fixture.database());
                    // the losers of one round find the rest of it in the next
                    for (int look = 0; look < 3; look++) {
                        watch.look(control);
                    }
                } catch (Exception e) {
                    problems.add(e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), problems);
        assertEquals(
                "20",
                fixture.query("select count(*) from sluice.resolution"
                        + " where done_at is not null and outcome = verdict and error is null"));
        assertEquals("10", doubt.entries());
    }

    @Test
    @DisplayName("Ended, but the node died before it could note that: the next finds out how it ended and notes it")
    void diedBeforeNoting() throws Exception {
        String committed = doubt.prepare();
        String rolledBack = doubt.prepare();
        doubt.resolve(committed, "commit");
        doubt.resolve(rolledBack, "rollback");
        fixture.execute("commit prepared '" + committed + "'");
        fixture.execute("rollback prepared '" + rolledBack + "'");
        look();
        String asDecided = "done_at is not null and outcome = verdict and error is null and forgotten_at is null";
        assertEquals("t", doubt.record(asDecided, committed));
        assertEquals("t", doubt.record(asDecided, rolledBack));
    }

    @Test
    @DisplayName(
            "Its coordinator was quicker and decided otherwise: the record says so, and nobody is told of a heuristic")
    void coordinatorWasQuicker() throws Exception {
        String gid = doubt.prepare();
        doubt.resolve(gid, "rollback");
        fixture.execute("commit prepared '" + gid + "'");
        look();
        assertEquals("t", doubt.record("done_at is not null and outcome = 'commit' and forgotten_at is not null", gid));
        assertTrue(doubt.record("error", gid).contains("ended otherwise"));
        assertEquals("1", doubt.entries());
    }

    @Test
    @DisplayName("Where PostgreSQL does not know any more how it ended the record says so")
    void nobodyKnows() throws Exception {
        fixture.execute("insert into sluice.resolution (gid, transaction, verdict)"
                + " values ('1_AQ==_AQ==', '9000000000000000', 'commit')");
        look();
        assertEquals(
                "t", doubt.record("done_at is not null and outcome is null and forgotten_at is null", "1_AQ==_AQ=="));
        assertTrue(doubt.record("error", "1_AQ==_AQ==").contains("does not know"));
    }

    @Test
    @DisplayName("Transactions of others are left alone, whatever somebody wrote into the table")
    void others() throws Exception {
        try (QueueFixture elsewhere = new QueueFixture()) {
            Doubt there = new Doubt(elsewhere);
            String theirs = there.prepare();
            doubt.prepare("somebody else's");
            String ours = doubt.prepare();
            fixture.execute("insert into sluice.resolution (gid, transaction, verdict)"
                    + " select gid, sluice.full_xid(transaction), 'commit' from pg_prepared_xacts"
                    + " where gid in ('somebody else''s', '" + theirs + "')");
            // the same name, but of a transaction that is not the one that was decided
            fixture.execute("insert into sluice.resolution (gid, transaction, verdict)"
                    + " select gid, (sluice.full_xid(transaction)::text::bigint - 1)::text::xid8, 'commit'"
                    + " from pg_prepared_xacts where gid = '" + ours + "'");
            look();
            assertTrue(doubt.isPrepared("somebody else's"));
            assertTrue(doubt.isPrepared(theirs));
            assertTrue(doubt.isPrepared(ours));
            fixture.execute("rollback prepared 'somebody else''s'");
            fixture.execute("rollback prepared '" + ours + "'");
            elsewhere.execute("rollback prepared '" + theirs + "'");
        }
    }

    private void look() throws SQLException {
        look(new InDoubtWatch(fixture.database()));
    }

    private void look(InDoubtWatch watch) throws SQLException {
        try (Connection control = fixture.connect()) {
            watch.look(control);
        }
    }

    @Test
    @DisplayName("A node whose role may not end it notes which right lacks, stays ready, and does it once it has that")
    void rights() throws Exception {
        fixture.execute("drop role if exists " + ROLE + ", " + OWNER);
        fixture.execute("create role " + ROLE + " login");
        fixture.execute("create role " + OWNER);
        try {
            fixture.execute("grant usage on schema sluice to " + ROLE);
            fixture.execute("grant all on all tables in schema sluice to " + ROLE);
            fixture.execute("grant usage, select, update on all sequences in schema sluice to " + ROLE);
            String gid = TestTransaction.newXid().toString();
            doubt.prepareAs(OWNER, gid);
            doubt.resolve(gid, "commit");
            Engine engine = fixture.engine(Map.of(Setting.USER, ROLE, Setting.MIGRATE, "false"));
            fixture.await("t", "select error is not null from sluice.resolution");
            assertTrue(doubt.record("error", gid).contains("grant " + OWNER), doubt.record("error", gid));
            assertTrue(fixture.query("select error from sluice.in_doubt").contains(OWNER));
            assertTrue(engine.status().ready(), engine.status().toString());

            fixture.execute("grant " + OWNER + " to " + ROLE);
            fixture.await("1", "select count(*) from entry");
            fixture.await("t", "select done_at is not null and error is null from sluice.resolution");
            engine.stop(QueueFixture.PATIENCE);
        } finally {
            fixture.await("0", "select count(*) from pg_stat_activity where usename = '" + ROLE + "'");
            fixture.execute("drop owned by " + ROLE + ", " + OWNER);
            fixture.execute("drop role " + ROLE + ", " + OWNER);
        }
    }

    @Test
    @DisplayName("A running two-phase commit does not count; what is left behind does, with the age of the oldest")
    void counts() throws Exception {
        InDoubtWatch patient = new InDoubtWatch(fixture.database());
        InDoubtWatch impatient = new InDoubtWatch(fixture.database(), Duration.ZERO, Duration.ofHours(1));
        look(impatient);
        assertEquals(new InDoubt(0, 0), impatient.last());
        String first = doubt.prepare();
        String second = doubt.prepare();
        look(impatient);
        assertEquals(2, impatient.last().count());
        look(patient);
        // unless these three statements took five seconds
        if (impatient.last().oldestSeconds() < InDoubtWatch.GRACE.toSeconds() - 1) {
            assertEquals(new InDoubt(0, 0), patient.last());
        }
        fixture.execute("rollback prepared '" + first + "'");
        look(impatient);
        assertEquals(1, impatient.last().count());
        fixture.execute("rollback prepared '" + second + "'");
        look(impatient);
        assertEquals(new InDoubt(0, 0), impatient.last());
    }

    /** Waits the five seconds, since only PostgreSQL knows how old a prepared transaction is. */
    @Test
    @DisplayName(
            "The status of a node has the number and the age; without a view of the database it says that it has not")
    void status() throws Exception {
        Engine engine = fixture.idleEngine(Map.of());
        assertEquals(-1, engine.status().inDoubt());
        assertEquals(-1, engine.status().oldestInDoubtSeconds());
        String gid = doubt.prepare();
        engine.start();
        QueueFixture.await(
                () -> engine.status().inDoubt() == 1, () -> engine.status().toString());
        assertTrue(engine.status().oldestInDoubtSeconds() >= 5, engine.status().toString());
        assertTrue(engine.status().ready());
        fixture.execute("rollback prepared '" + gid + "'");
        QueueFixture.await(
                () -> engine.status().inDoubt() == 0 && engine.status().oldestInDoubtSeconds() == 0,
                () -> engine.status().toString());
    }

    @Test
    @DisplayName("An old one is named in the log, once, with the statement that ends it")
    void named() throws Exception {
        String gid = doubt.prepare();
        InDoubtWatch quiet = new InDoubtWatch(fixture.database());
        InDoubtWatch watch = new InDoubtWatch(fixture.database(), Duration.ZERO, Duration.ZERO);
        List<String> log = logged(() -> {
            look(quiet);
            look(watch);
            look(watch);
        });
        assertEquals(1, log.size(), log.toString());
        String line = log.get(0);
        for (String part :
                new String[] {gid, "postgres", "since 20", "locks", "vacuum", "ledger of the other resource"}) {
            assertTrue(line.contains(part), line);
        }
        Matcher remedy = Pattern.compile(
                        "(select \\S+\\.resolve\\('\\S+', 'commit'\\)) or (\\S+\\('\\S+', 'rollback'\\))")
                .matcher(line);
        assertTrue(remedy.find(), line);
        fixture.query(remedy.group(1));
        List<String> done = logged(() -> look(watch));
        assertEquals(1, done.size(), done.toString());
        assertTrue(
                done.get(0).contains(gid) && done.get(0).contains("commit done, as postgres asked"), done.toString());
        assertEquals("1", doubt.entries());
        assertEquals(List.of(), logged(() -> look(watch)));
    }

    @Test
    @DisplayName(
            "Without the right to look it is not known how many there are; that is said once, and the node goes on")
    void cannotSee() throws Exception {
        fixture.execute("drop role if exists " + ROLE);
        fixture.execute("create role " + ROLE + " login");
        try {
            Database limited = new Database(fixture.settings(Map.of(Setting.USER, ROLE)));
            InDoubtWatch watch = new InDoubtWatch(limited);
            try (Connection control = limited.open("test")) {
                List<String> log = logged(() -> {
                    watch.look(control);
                    watch.look(control);
                });
                assertEquals(InDoubt.UNKNOWN, watch.last());
                assertEquals(1, log.size(), log.toString());
                assertTrue(log.get(0).contains("permission denied"), log.toString());
            }
        } finally {
            fixture.execute("drop role " + ROLE);
        }
    }

    @Test
    @DisplayName("A lost connection is the node's affair, and until it has another nothing is known")
    void lostConnection() throws Exception {
        InDoubtWatch watch = new InDoubtWatch(fixture.database());
        look(watch);
        assertEquals(new InDoubt(0, 0), watch.last());
        try (Connection control = fixture.connect()) {
            int pid = control.unwrap(org.postgresql.PGConnection.class).getBackendPID();
            fixture.execute("select pg_terminate_backend(" + pid + ")");
            fixture.await("0", "select count(*) from pg_stat_activity where pid = " + pid);
            SQLException error = assertThrows(SQLException.class, () -> watch.look(control));
            assertTrue(Remedy.connectionLost(error), error.getSQLState());
        }
        assertEquals(InDoubt.UNKNOWN, watch.last());
    }

    private static List<String> logged(CapturedLog.Step step) throws Exception {
        return CapturedLog.of(InDoubtWatch.class, step);
    }

    @Test
    @DisplayName("Every column of the table says what it holds")
    void commented() throws Exception {
        assertNull(fixture.query("select string_agg(attname, ', ') from pg_attribute"
                + " where attrelid = 'sluice.resolution'::regclass and attnum > 0"
                + " and attname not in ('verdict', 'requested_by', 'requested_at')"
                + " and col_description(attrelid, attnum) is null"));
        assertNotNull(fixture.query("select obj_description('sluice.in_doubt'::regclass)"));
    }
}
