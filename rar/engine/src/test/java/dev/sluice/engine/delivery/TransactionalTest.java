package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.queue.Epochs;
import dev.sluice.engine.queue.Isolation;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Lane;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.queue.Take;
import dev.sluice.engine.xa.Gid;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is particular to claims in the transaction that handles the job. */
@Timeout(60)
class TransactionalTest {

    private static final RetryPolicy TWICE = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofSeconds(1));

    private QueueFixture fixture;
    private Engine engine;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = ClaimMode.TRANSACTIONAL;
        engine = fixture.engine();
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work', 2)");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private List<Job> take(Connection connection, int most) throws SQLException {
        return new Take(fixture.schema()).take(connection, new Epochs(), "work", Kinds.EVERY, most);
    }

    @Test
    @DisplayName("Claim, work and acknowledgement are one transaction, and no claim row is written")
    void oneTransaction() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 20)");
        fixture.subscribe(engine, "work", Set.of("entry"), TWICE, delivery -> {
            QueueFixture.enter(delivery);
            assertEquals(
                    "0",
                    fixture.query("select count(*) from sluice.claim"),
                    "a claim row would be a transaction of its own");
        });
        fixture.await("20", "select count(*) from ledger");
        assertEquals("20", fixture.query("select count(distinct xmin::text) from ledger"));
        assertEquals("0", fixture.query("select count(*) from sluice.dead_letter"));
    }

    @Test
    @DisplayName("A job whose transaction ended without a word runs by itself, and nobody takes it in between")
    void isolated() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 3)");
        try (Connection dying = fixture.connect()) {
            dying.setAutoCommit(false);
            assertEquals(2, take(dying, 2).size());
            dying.rollback();
            assertEquals(List.of(3L), take(dying, 3).stream().map(Job::id).toList(), "those that bear no mark");
            dying.rollback();
        }
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), TWICE, QueueFixture::enter);
        fixture.await("3", "select count(*) from ledger");
        assertEquals("3 0", fixture.query("select count(distinct job) || ' ' || max(attempt) from ledger"));
        assertTrue(handlers.seen.stream().allMatch(Job::alone), "one by one: " + handlers.seen);
    }

    @Test
    @DisplayName("Jobs that a living transaction has taken are not isolated, however long it runs")
    void notIsolated() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 4)");
        Isolation isolation = new Isolation(fixture.node().connection(), fixture.schema());
        try (Connection living = fixture.connect()) {
            living.setAutoCommit(false);
            assertEquals(4, take(living, 4).size());
            for (int looks = 0; looks < 3; looks++) {
                assertEquals(0, isolation.look(Map.of(new Lane(1, "work", (short) 2), 0L)));
            }
            living.rollback();
        }
        assertEquals(0, isolation.look(Map.of(new Lane(1, "work", (short) 2), 0L)), "seen unlocked for the first time");
        assertEquals(4, isolation.look(Map.of(new Lane(1, "work", (short) 2), 0L)));
    }

    @Test
    @DisplayName("The sweep waits for no handler")
    void sweepsBeside() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'slow') from generate_series(1, 4)");
        Handlers handlers = fixture.transacted("work", Set.of("slow"), TWICE, delivery -> {
            QueueFixture.enter(delivery);
            // the engine sweeps every 50 ms
            fixture.execute("select pg_sleep(0.5)");
            assertEquals(
                    "0",
                    fixture.query("select count(*) from pg_stat_activity"
                            + " where datname = current_database() and wait_event_type = 'Lock'"),
                    "the sweep does not wait for it");
        });
        handlers.concurrency = 2;
        engine.subscribe(handlers);
        fixture.await("4", "select count(*) from ledger");
        assertTrue(handlers.seen.stream().noneMatch(Job::alone), handlers.seen.toString());
    }

    @Test
    @DisplayName("A branch that was prepared and rolled back counts the attempt")
    void preparedAndRolledBack() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry')");
        engine.subscribe(fixture.handlers("work", Set.of("entry"), TWICE, delivery -> {
            Gid xid = TestTransaction.newXid();
            XAResource resource = delivery.resource();
            resource.start(xid, XAResource.TMNOFLAGS);
            QueueFixture.enter(delivery);
            resource.end(xid, XAResource.TMSUCCESS);
            assertEquals(XAResource.XA_OK, resource.prepare(xid));
            if (delivery.job().attempt() == 0) {
                resource.rollback(xid);
            } else {
                resource.commit(xid, false);
            }
        }));
        fixture.await("1 1", "select count(*) || ' ' || max(attempt) from ledger");
        fixture.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)");
    }

    @Test
    @DisplayName("A constraint that fails at the commit counts the attempt, and the dead letter names it")
    void failsAtCommit() throws Exception {
        fixture.execute("create table unique_entry (job bigint unique deferrable initially deferred)");
        fixture.execute("insert into unique_entry values (1)");
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.subscribe(engine, "work", Set.of("entry"), TWICE, delivery -> {
            try (Statement statement = delivery.connection().createStatement()) {
                statement.execute("insert into unique_entry values (1)");
            }
        });
        fixture.await("2 true", "select attempt || ' ' || (error ~ 'unique_entry') from sluice.dead_letter");
        assertEquals("0", fixture.query("select count(*) from sluice.job"));
    }

    @Test
    @DisplayName("A job of a kind without a handler is put back uncounted, and the others run")
    void unknownKind() throws Exception {
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), TWICE, QueueFixture::enter);
        fixture.execute("select sluice.enqueue('work', case when i % 2 = 0 then 'entry' else 'strange' end)"
                + " from generate_series(1, 10) i");
        fixture.await("5", "select count(*) from ledger");
        fixture.await("5 0", "select count(*) || ' ' || max(attempt) from sluice.scheduled where kind = 'strange'");
        assertEquals(5, handlers.seen.size());
    }

    @Test
    @DisplayName("A transaction that the handler's container never began gives the job back counted, as any failure")
    void neverBegun() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry')");
        engine.subscribe(fixture.handlers("work", Set.of("entry"), TWICE, delivery -> {
            throw new XAException("no transaction today");
        }));
        fixture.await("2 true", "select attempt || ' ' || (error ~ 'no transaction today') from sluice.dead_letter");
        fixture.await(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name like 'sluice delivery %' and state <> 'idle'");
    }

    @Test
    @DisplayName("While nothing waits no worker runs, and a job that nobody tells of is found by the sweep")
    void idle() throws Exception {
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), TWICE, QueueFixture::enter);
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("1", "select count(*) from ledger");
        QueueFixture.await(
                () -> engine.status().running() == 0,
                () -> "workers: " + engine.status().running());
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("2", "select count(*) from ledger");
        assertEquals(2, handlers.seen.size());
    }
}
