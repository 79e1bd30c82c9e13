package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.xa.Gid;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that outlive the time of their transaction. Each test takes as long as that and the grace: 6 s. */
@Timeout(90)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class HungHandlerTest {

    private static final RetryPolicy TWICE = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofSeconds(1));

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private Engine engine;
    private final CountDownLatch release = new CountDownLatch(1);
    /** What the container is told when it commits after all. */
    private final Queue<Integer> answers = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = mode;
        engine = fixture.engine();
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work', 2)");
    }

    @AfterEach
    void tearDown() throws Exception {
        release.countDown();
        fixture.close();
    }

    /** A container that allows a transaction one second, and does not interrupt it. */
    private Handlers patientContainer(QueueFixture.Handler handler) {
        return fixture.handlers("work", Set.of("entry"), TWICE, delivery -> {
            XAResource resource = delivery.resource();
            Gid xid = TestTransaction.newXid();
            resource.setTransactionTimeout(1);
            resource.start(xid, XAResource.TMNOFLAGS);
            try {
                handler.run(delivery);
            } finally {
                resource.end(xid, XAResource.TMSUCCESS);
                try {
                    resource.commit(xid, true);
                    answers.add(XAResource.XA_OK);
                } catch (XAException e) {
                    answers.add(e.errorCode);
                }
            }
        });
    }

    @Test
    @DisplayName(
            "A handler that hangs is moved on: counted, tried again elsewhere, its place free, its late work refused")
    void hangs() throws Exception {
        Handlers handlers = patientContainer(delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().id() == 1 && delivery.job().attempt() == 0) {
                release.await();
                assertThrows(SQLException.class, () -> QueueFixture.enter(delivery));
            }
        });
        handlers.concurrency = 1;
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 3)");
        engine.subscribe(handlers);
        fixture.await("3", "select count(*) from ledger");
        assertEquals("1 0 0", fixture.query("select string_agg(attempt::text, ' ' order by job) from ledger"));
        QueueFixture.await(
                () -> engine.status().stuck() == 1, () -> engine.status().toString());
        assertEquals(
                "0",
                fixture.query("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name like 'sluice delivery %' and state <> 'idle'"),
                "nothing is left open");
        release.countDown();
        QueueFixture.await(
                () -> engine.status().stuck() == 0, () -> engine.status().toString());
        assertEquals(
                XAException.XA_RBROLLBACK,
                answers.stream().filter(code -> code != 0).findFirst().orElse(0));
        assertEquals("3", fixture.query("select count(*) from ledger"));
        QueueFixture.await(
                () -> engine.status().running() == 0, () -> engine.status().toString());
    }

    @Test
    @DisplayName("A handler that waits in the database is moved on, and its statement is cancelled")
    void hangsInStatement() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry')");
        AtomicInteger calls = new AtomicInteger();
        engine.subscribe(patientContainer(delivery -> {
            QueueFixture.enter(delivery);
            if (calls.incrementAndGet() == 1) {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute("select pg_sleep(1000)");
                }
            }
        }));
        fixture.await("1 1", "select count(*) || ' ' || max(attempt) from ledger");
        fixture.await(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database() and query ~ 'pg_sleep'"
                        + " and state = 'active' and pid <> pg_backend_pid()");
    }

    @Test
    @DisplayName("Of a batch whose handler hangs each job is given back uncounted")
    void hangsWithBatch() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 5)");
        AtomicInteger calls = new AtomicInteger();
        Handlers handlers = patientContainer(delivery -> {
            QueueFixture.enter(delivery);
            if (calls.incrementAndGet() == 1) {
                release.await();
            }
        });
        handlers.batchKinds = Set.of("entry");
        engine.subscribe(handlers);
        fixture.await("5 0", "select count(distinct job) || ' ' || max(attempt) from ledger");
        assertTrue(answers.stream().allMatch(code -> code == 0), answers.toString());
    }

    @Test
    @DisplayName("Of a batch in which one job hangs every time the others are done, and that one is a dead letter")
    void hangsWithBatchAgain() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 3)");
        Handlers handlers = patientContainer(delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.jobs().stream().anyMatch(job -> job.id() == 2)) {
                release.await();
            }
        });
        handlers.batchKinds = Set.of("entry");
        engine.subscribe(handlers);
        fixture.await("2", "select count(distinct job) from ledger");
        fixture.await("2 2", "select id || ' ' || attempt from sluice.dead_letter");
        assertEquals("2", fixture.query("select count(*) from ledger"));
    }

    @Test
    @DisplayName("Of a batch that failed the jobs behind one that hangs by itself are done")
    void hangsBehindBatch() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 5)");
        Handlers handlers = patientContainer(delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.jobs().size() > 1) {
                delivery.fail(new IllegalStateException("the batch"));
            } else if (delivery.job().id() == 2) {
                release.await();
            }
        });
        handlers.batchKinds = Set.of("entry");
        handlers.concurrency = 1;
        engine.subscribe(handlers);
        fixture.await("4 0", "select count(distinct job) || ' ' || max(attempt) from ledger");
    }
}
