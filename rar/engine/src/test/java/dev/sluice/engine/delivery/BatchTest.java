package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers of which one call, and one transaction, is for several jobs. */
@Timeout(60)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class BatchTest {

    private static final RetryPolicy QUICK = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofSeconds(1));

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private Engine engine;
    /** The jobs of each call. */
    private final Queue<List<Job>> calls = new ConcurrentLinkedQueue<>();

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
        fixture.close();
    }

    private Handlers handlers(Set<String> kinds, Set<String> batchKinds, QueueFixture.Handler handler) {
        Handlers handlers = fixture.transacted("work", kinds, QUICK, delivery -> {
            calls.add(delivery.jobs());
            handler.run(delivery);
        });
        handlers.batchKinds = batchKinds;
        return handlers;
    }

    private static boolean poisoned(Delivery delivery) {
        return delivery.jobs().stream().anyMatch(job -> job.payload().equals("\"poison\""));
    }

    @Test
    @DisplayName("Jobs of a kind are handled together, up to the batch, in their order, and with one commit")
    void together() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 100)");
        Handlers handlers = handlers(Set.of("entry"), Set.of("entry"), QueueFixture::enter);
        handlers.concurrency = 1;
        engine.subscribe(handlers);
        fixture.await("100", "select count(*) from ledger");
        assertEquals(10, calls.size());
        long last = 0;
        for (List<Job> call : calls) {
            assertEquals(10, call.size());
            for (Job job : call) {
                assertEquals(last + 1, job.id());
                last = job.id();
            }
        }
        assertEquals("10", fixture.query("select count(distinct xmin::text) from ledger"), "transactions");
        fixture.await("0", "select count(*) from sluice.claim");
        QueueFixture.await(
                () -> engine.status().delivered() == 100,
                () -> "delivered is " + engine.status().delivered());
    }

    @Test
    @DisplayName("Of a batch that fails each job runs by itself: one is to blame, and only it is counted")
    void poison() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry', case when i = 4 then '\"poison\"' else '1' end)"
                + " from generate_series(1, 10) i");
        engine.subscribe(handlers(Set.of("entry"), Set.of("entry"), delivery -> {
            QueueFixture.enter(delivery);
            if (poisoned(delivery)) {
                throw new IllegalStateException("poison");
            }
        }));
        fixture.await("9", "select count(*) from ledger");
        fixture.await("4 2 true", "select id || ' ' || attempt || ' ' || (error ~ 'poison') from sluice.dead_letter");
        assertEquals("0", fixture.query("select max(attempt) from ledger"), "no attempt is counted for the others");
        assertEquals("9", fixture.query("select count(distinct job) from ledger"));
        assertEquals(
                List.of(10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
                calls.stream().map(List::size).toList());
        fixture.await(
                "0",
                "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"
                        + " + (select count(*) from sluice.claim)");
        assertEquals(2, engine.status().failed());
    }

    @Test
    @DisplayName("A swallowed error of a statement rolls a batch back, and each job runs by itself")
    void swallowed() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 5)");
        engine.subscribe(handlers(Set.of("entry"), Set.of("entry"), delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.jobs().size() > 1) {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute("select 1 / 0");
                } catch (SQLException e) {
                    // swallowed
                }
            }
        }));
        fixture.await("5", "select count(*) from ledger");
        assertEquals("5 0", fixture.query("select count(distinct job) || ' ' || max(attempt) from ledger"));
        assertEquals(List.of(5, 1, 1, 1, 1, 1), calls.stream().map(List::size).toList());
    }

    @Test
    @DisplayName("One bean handles some kinds one by one and others together, each call of one kind only")
    void mixed() throws Exception {
        fixture.execute("select sluice.enqueue('work', (array['one', 'many', 'lot'])[1 + i % 3])"
                + " from generate_series(1, 90) i");
        engine.subscribe(handlers(Set.of("one", "many", "lot"), Set.of("many", "lot"), QueueFixture::enter));
        fixture.await("90", "select count(*) from ledger");
        assertEquals("90", fixture.query("select count(distinct job) from ledger"));
        for (List<Job> call : calls) {
            assertEquals(1, call.stream().map(Job::kind).distinct().count(), call.toString());
            assertTrue(call.size() == 1 || !call.get(0).kind().equals("one"), call.toString());
        }
        assertTrue(calls.stream().anyMatch(call -> call.size() > 1), "none ran together");
    }

    @Test
    @DisplayName("A bean that handles all its kinds together puts back a job of another kind, uncounted")
    void unknownKind() throws Exception {
        fixture.execute("select sluice.enqueue('work', case i when 3 then 'strange' else 'entry' end)"
                + " from generate_series(1, 5) i");
        engine.subscribe(handlers(Set.of("entry"), Set.of("entry"), QueueFixture::enter));
        fixture.await("strange 0", "select kind || ' ' || attempt from sluice.scheduled");
        fixture.await("4", "select count(*) from ledger");
    }

    @Test
    @DisplayName("A session that is ended under a batch costs no attempt of its jobs, and each has one effect")
    void killed() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 10)");
        engine.subscribe(handlers(Set.of("entry"), Set.of("entry"), delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.jobs().size() > 1) {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute("select pg_terminate_backend(pg_backend_pid())");
                }
            }
        }));
        fixture.await("10", "select count(*) from ledger");
        assertEquals("10 0", fixture.query("select count(distinct job) || ' ' || max(attempt) from ledger"));
    }

    @Test
    @DisplayName("At the end of a subscription the rest of a batch that failed is put back uncounted")
    void closedInside() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 10)");
        Handlers handlers = handlers(Set.of("entry"), Set.of("entry"), delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.jobs().size() > 1) {
                throw new IllegalStateException("the batch");
            }
            first.countDown();
            go.await();
        });
        engine.subscribe(handlers);
        assertTrue(first.await(20, TimeUnit.SECONDS));
        Thread ending = new Thread(() -> {
            try {
                engine.unsubscribe(handlers, Duration.ofSeconds(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        ending.start();
        // it waits for the one that runs
        QueueFixture.await(
                () -> ending.getState() == Thread.State.TIMED_WAITING,
                () -> ending.getState().toString());
        go.countDown();
        ending.join();
        assertEquals("1", fixture.query("select count(*) from ledger"));
        assertEquals(
                "9 0 f 0",
                fixture.query("select concat_ws(' ', count(*), max(attempt), bool_or(alone), count(lease))"
                        + " from sluice.job_1 where xmax = 0"));
        engine.subscribe(handlers);
        fixture.await("10", "select count(distinct job) from ledger");
    }

    @Test
    @DisplayName("Several workers that handle in batches run every job once while producers go on")
    void load() throws Exception {
        Handlers handlers = handlers(Set.of("entry"), Set.of("entry"), QueueFixture::enter);
        engine.subscribe(handlers);
        for (int i = 0; i < 20; i++) {
            fixture.execute("select sluice.enqueue('work', 'entry', 'null', i % 4) from generate_series(1, 100) i");
        }
        fixture.await("2000", "select count(*) from ledger");
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals("2000", fixture.query("select count(distinct job) from ledger"));
    }
}
