package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.CuttingProxy.Moment;
import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.xa.Gid;
import dev.sluice.engine.xa.RecoveryXAResource;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that break, and servers that go away, at every moment of a delivery. */
@Timeout(120)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class OutageTest {

    private static final RetryPolicy PATIENT = new RetryPolicy(1_000, Duration.ofMillis(1), Duration.ofMillis(20));
    private static final String JOBS_LEFT =
            "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"
                    + " + (select count(*) from sluice.dead_letter)";

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private CuttingProxy proxy;

    private void begin(QueueFixture on) throws SQLException {
        fixture = on;
        fixture.mode = mode;
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
        if (proxy != null) {
            proxy.close();
        }
    }

    @Test
    @DisplayName("Under load, PostgreSQL restarts and crashes: nothing is lost, nothing doubled, delivery goes on")
    void restarts() throws Exception {
        try (PostgresServer server = PostgresVersion.standard().builder().start()) {
            begin(new QueueFixture(server));
            Engine engine = fixture.engine();
            fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, QueueFixture::enter);
            fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 1500)");
            int delivered = 0;
            for (StopMode mode : new StopMode[] {StopMode.FAST, StopMode.IMMEDIATE}) {
                delivered += 400;
                fixture.await("t", "select count(*) >= " + delivered + " from ledger");
                server.restart(mode);
                fixture.await("t", "select count(*) < 1500 from ledger");
            }
            fixture.await("1500", "select count(*) from ledger");
            fixture.await("0", JOBS_LEFT);
            assertEquals("1500", fixture.query("select count(distinct job) from ledger"));
            assertTrue(engine.status().ready());
            fixture.await("0", "select count(*) from sluice.claim");
            fixture.close();
        }
    }

    @Test
    @DisplayName(
            "PostgreSQL takes no writes for a while under load: nothing is lost, nothing doubled, delivery goes on by itself")
    void readOnly() throws Exception {
        try (PostgresServer server = PostgresVersion.standard().builder().start()) {
            begin(new QueueFixture(server));
            Engine engine = fixture.engine();
            fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, QueueFixture::enter);
            fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 1500)");
            fixture.await("t", "select count(*) >= 300 from ledger");
            fixture.execute("alter system set default_transaction_read_only = on");
            fixture.execute("select pg_reload_conf()");
            QueueFixture.await(
                    () -> !engine.status().ready(), () -> engine.status().toString());
            assertTrue(
                    engine.status().problem().contains("takes no writes"),
                    engine.status().problem());
            try (Connection administrator = fixture.connect();
                    Statement statement = administrator.createStatement()) {
                statement.execute("set default_transaction_read_only = off");
                statement.execute("alter system reset default_transaction_read_only");
                statement.execute("select pg_reload_conf()");
            }
            fixture.await("1500", "select count(*) from ledger");
            fixture.await("0", JOBS_LEFT);
            assertEquals("1500", fixture.query("select count(distinct job) from ledger"));
            QueueFixture.awaitReady(engine);
            fixture.await("0", "select count(*) from sluice.claim");
            fixture.close();
        }
    }

    @Test
    @DisplayName("An engine that starts before its database delivers when that comes")
    void databaseLate() throws Exception {
        begin(new QueueFixture());
        AtomicBoolean late = new AtomicBoolean(true);
        Engine engine = new Engine(() -> late.get() ? settingsWithoutDatabase() : fixture.settings(Map.of()));
        try {
            engine.start();
            QueueFixture.await(
                    () -> engine.status().problem() != null
                            && engine.status().problem().contains("SLUICE_URL"),
                    () -> engine.status().toString());
            fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, QueueFixture::enter);
            fixture.execute("select sluice.enqueue('work', 'entry')");
            late.set(false);
            fixture.await("1", "select count(*) from ledger");
        } finally {
            engine.stop(Duration.ofSeconds(10));
        }
    }

    private static Settings settingsWithoutDatabase() {
        return Settings.of(Map.of(), Map.of());
    }

    @Test
    @DisplayName("A handler whose session is ended by an administrator is tried again, and has one effect")
    void killedInHandler() throws Exception {
        begin(new QueueFixture());
        Handlers handlers = fixture.subscribe(fixture.engine(), "work", Set.of("entry"), PATIENT, delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().attempt() == 0) {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute("select pg_terminate_backend(pg_backend_pid())");
                }
            }
        });
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 20)");
        fixture.await("20", "select count(*) from ledger");
        fixture.await("0", JOBS_LEFT);
        assertEquals("20", fixture.query("select count(distinct job) from ledger"));
        assertTrue(handlers.seen.size() >= 40, handlers.seen.size() + " attempts");
    }

    @Test
    @DisplayName("A session that is ended between the handler and the commit rolls back, and the job is tried again")
    void killedBeforeCommit() throws Exception {
        begin(new QueueFixture());
        fixture.subscribe(fixture.engine(), "work", Set.of("entry"), PATIENT, delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().attempt() == 0) {
                fixture.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where datname = current_database() and application_name like 'sluice delivery %'");
                fixture.await(
                        "0",
                        "select count(*) from pg_stat_activity"
                                + " where datname = current_database() and application_name like 'sluice delivery %'");
            }
        });
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("0", JOBS_LEFT);
        assertEquals("1 1", fixture.query("select count(*) || ' ' || min(attempt) from ledger"));
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    @DisplayName("A commit whose answer is lost is decided by what the job's row says")
    void lostAnswerOfCommit(Moment moment) throws Exception {
        begin(new QueueFixture());
        // a commit takes a while, so that the server still works on it when we ask what became of it
        fixture.execute("create function pause() returns trigger language plpgsql as"
                + " $$ begin perform pg_sleep(0.3); return null; end $$");
        fixture.execute("create constraint trigger pause after insert on ledger deferrable initially deferred"
                + " for each row execute function pause()");
        proxy = new CuttingProxy(QueueFixture.postgres().port());
        Engine engine = fixture.engine(Map.of(Setting.URL, proxy.jdbcUrl(fixture.databaseName())));
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().attempt() == 0) {
                proxy.cut("COMMIT", moment);
            }
        });
        fixture.execute("select sluice.enqueue('work', 'entry')");
        proxy.awaitCut();
        fixture.await("0", JOBS_LEFT);
        QueueFixture.await(
                () -> engine.status().running() == 0, () -> engine.status().toString());

        boolean lost = moment == Moment.BEFORE_REQUEST;
        assertEquals(
                lost ? "1 1" : "1 0", fixture.query("select count(*) || ' ' || min(attempt) from ledger"), "effects");
        assertEquals(lost ? 2 : 1, handlers.seen.size(), "attempts");
        assertEquals(1, engine.status().delivered());
        assertEquals(lost ? 1 : 0, engine.status().failed());
        fixture.await("0", "select count(*) from sluice.claim");
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    @DisplayName("A prepare whose answer is lost is a failed attempt, though another resource rolls it back")
    void lostAnswerOfPrepare(Moment moment) throws Exception {
        begin(new QueueFixture());
        proxy = new CuttingProxy(QueueFixture.postgres().port());
        Engine engine = fixture.engine(Map.of(Setting.URL, proxy.jdbcUrl(fixture.databaseName())));
        Handlers handlers = fixture.handlers("work", Set.of("entry"), PATIENT, delivery -> {
            Gid xid = TestTransaction.newXid();
            XAResource resource = delivery.resource();
            resource.start(xid, XAResource.TMNOFLAGS);
            QueueFixture.enter(delivery);
            resource.end(xid, XAResource.TMSUCCESS);
            if (delivery.job().attempt() == 0) {
                proxy.cut("prepare transaction", moment);
                assertEquals(
                        XAException.XAER_RMFAIL,
                        assertThrows(XAException.class, () -> resource.prepare(xid)).errorCode);
                rollBack(xid);
            } else {
                resource.prepare(xid);
                resource.commit(xid, false);
            }
        });
        engine.subscribe(handlers);
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("1", "select count(*) from ledger");
        fixture.await("0", JOBS_LEFT);
        assertEquals("1", fixture.query("select attempt from ledger"));
        assertEquals(2, handlers.seen.size(), "attempts");
        assertTrue(handlers.seen.stream().noneMatch(Job::alone), "no node died");
        fixture.await("0", "select count(*) from sluice.claim");
    }

    /** As Open Liberty does when a resource has failed: by the name of the branch, with a resource for recovery. */
    private void rollBack(Gid xid) throws Exception {
        // the server may work on it yet
        fixture.await(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database() and state <> 'idle'"
                        + " and application_name like 'sluice delivery %'");
        try {
            new RecoveryXAResource(() -> fixture.database()).rollback(xid);
        } catch (XAException e) {
            assertEquals(XAException.XAER_NOTA, e.errorCode, "it was never prepared");
        }
    }

    @Test
    @DisplayName(
            "A job whose prepare ends its session each time is a dead letter after its attempts, whoever rolls back")
    void endsWithPrepare() throws Exception {
        begin(new QueueFixture());
        fixture.execute("create function break_off() returns trigger language plpgsql as"
                + " $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$");
        fixture.execute("create constraint trigger break_off after insert on ledger deferrable initially deferred"
                + " for each row execute function break_off()");
        Engine engine = fixture.engine();
        RetryPolicy thrice = new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(20));
        Handlers handlers = fixture.handlers("work", Set.of("entry"), thrice, delivery -> {
            Gid xid = TestTransaction.newXid();
            XAResource resource = delivery.resource();
            resource.start(xid, XAResource.TMNOFLAGS);
            QueueFixture.enter(delivery);
            resource.end(xid, XAResource.TMSUCCESS);
            assertThrows(XAException.class, () -> resource.prepare(xid));
            rollBack(xid);
        });
        engine.subscribe(handlers);
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("3", "select attempt from sluice.dead_letter where error like '%administrator%'");
        assertEquals(3, handlers.seen.size());
        assertEquals("0", fixture.query("select count(*) from ledger"));
    }

    @Test
    @DisplayName(
            "A claim whose answer is lost is delivered later, uncounted, and by itself if the transaction was rolled back")
    void lostAnswerOfClaim() throws Exception {
        begin(new QueueFixture());
        proxy = new CuttingProxy(QueueFixture.postgres().port());
        Engine engine = fixture.engine(Map.of(Setting.URL, proxy.jdbcUrl(fixture.databaseName())));
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, QueueFixture::enter);
        fixture.await("1000", "select max_attempts from sluice.queue");
        long node = engine.status().node();
        // only a claim is answered with a kind of job
        proxy.cutAnswer("entry");
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 5)");
        proxy.awaitCut();
        if (mode == ClaimMode.LEASED) {
            assertEquals("5", fixture.query("select count(lease) from sluice.job"));
            fixture.execute("update sluice.claim_1 set claimed_at = claimed_at - interval '10 s'");
        }
        fixture.await("5", "select count(*) from ledger");
        assertEquals(5, handlers.seen.size());
        assertTrue(handlers.seen.stream().allMatch(job -> job.attempt() == 0));
        assertEquals(
                mode == ClaimMode.LEASED ? 0 : 1,
                handlers.seen.stream().filter(Job::alone).count());
        assertEquals(node, engine.status().node());
        fixture.await("0", JOBS_LEFT);
        fixture.await("0", "select count(*) from sluice.claim");
    }

    @Test
    @DisplayName("The network of a node breaks twice under load: nothing is lost, nothing doubled")
    void flakyNetwork() throws Exception {
        begin(new QueueFixture());
        proxy = new CuttingProxy(QueueFixture.postgres().port());
        Engine engine = fixture.engine(Map.of(Setting.URL, proxy.jdbcUrl(fixture.databaseName())));
        fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, QueueFixture::enter);
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 2000)");
        for (int cuts = 1; cuts <= 2; cuts++) {
            fixture.await("t", "select count(*) >= " + cuts * 400 + " from ledger");
            proxy.cutAll();
        }
        fixture.await("2000", "select count(*) from ledger");
        fixture.await("0", JOBS_LEFT);
        assertEquals("2000", fixture.query("select count(distinct job) from ledger"));
    }

    @Test
    @DisplayName("A branch left prepared by a lost coordinator keeps no thread, and is finished by recovery")
    void leftPrepared() throws Exception {
        begin(new QueueFixture());
        Engine engine = fixture.engine();
        AtomicReference<Gid> left = new AtomicReference<>();
        Handlers handlers = fixture.handlers("work", Set.of("entry"), PATIENT, delivery -> {
            Gid xid = TestTransaction.newXid();
            XAResource resource = delivery.resource();
            resource.start(xid, XAResource.TMNOFLAGS);
            QueueFixture.enter(delivery);
            resource.end(xid, XAResource.TMSUCCESS);
            assertEquals(XAResource.XA_OK, resource.prepare(xid));
            left.set(xid);
        });
        engine.subscribe(handlers);
        fixture.execute("select sluice.enqueue('work', 'entry')");
        QueueFixture.await(() -> left.get() != null, () -> "not prepared");
        try {
            QueueFixture.await(() -> handlers.settled.get() == 1, () -> "the thread waits for the coordinator");
        } finally {
            new RecoveryXAResource(() -> fixture.database()).commit(left.get(), false);
        }
        fixture.await("0", JOBS_LEFT);
        assertEquals(1, handlers.seen.size());
        assertEquals("1", fixture.query("select count(*) from ledger"));
        fixture.execute("update sluice.claim_1 set claimed_at = claimed_at - interval '10 s'");
        fixture.await("0", "select count(*) from sluice.claim");
    }
}
