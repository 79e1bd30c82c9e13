package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class DeliveryTest {

    private static final RetryPolicy QUICK = new RetryPolicy(3, Duration.ofMillis(50), Duration.ofSeconds(1));

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private Engine engine;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = mode;
        engine = fixture.engine();
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    @Test
    @DisplayName("Under handlers that fail at random, every job has exactly one committed effect")
    void exactlyOnce() throws Exception {
        long seed = System.nanoTime();
        System.out.println("DeliveryTest.exactlyOnce: seed " + seed);
        Random random = new Random(seed);
        RetryPolicy patient = new RetryPolicy(1_000, Duration.ofMillis(1), Duration.ofMillis(20));
        fixture.subscribe(engine, "work", Set.of("entry"), patient, delivery -> {
            boolean early;
            boolean late;
            synchronized (random) {
                early = random.nextInt(10) == 0;
                late = random.nextInt(10) == 0;
            }
            if (early) {
                throw new IllegalStateException("early");
            }
            QueueFixture.enter(delivery);
            if (late) {
                throw new IllegalStateException("late");
            }
        });
        fixture.await("1000", "select max_attempts from sluice.queue");
        fixture.execute("select sluice.enqueue('work', 'entry', i::text) from generate_series(1, 2000) i");
        fixture.await("2000", "select count(*) from ledger");
        fixture.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)");
        assertEquals("2000", fixture.query("select count(distinct job) from ledger"));
        fixture.await("0", "select count(*) from sluice.claim");
        QueueFixture.await(
                () -> engine.status().running() == 0, () -> engine.status().toString());
        assertEquals(2000, engine.status().delivered());
        assertEquals(
                fixture.query("select sum(attempt) from ledger"),
                String.valueOf(engine.status().failed()),
                "each failed attempt is counted, in the job and by the node");
    }

    @Test
    @DisplayName("A job that always fails is a dead letter with its last error after its attempts, and others flow on")
    void deadLetter() throws Exception {
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("good", "bad"), QUICK, delivery -> {
            if (delivery.job().kind().equals("bad")) {
                throw new IllegalStateException("attempt " + (delivery.job().attempt() + 1));
            }
            QueueFixture.enter(delivery);
        });
        fixture.await("3", "select max_attempts from sluice.queue");
        fixture.execute("select sluice.enqueue('work', 'bad')");
        fixture.execute("select sluice.enqueue('work', 'good') from generate_series(1, 100)");
        fixture.await("100", "select count(*) from ledger");
        fixture.await("1", "select count(*) from sluice.dead_letter where kind = 'bad' and attempt = 3");
        assertTrue(fixture.query("select error from sluice.dead_letter").contains("attempt 3"));
        assertEquals(
                3,
                handlers.seen.stream().filter(job -> job.kind().equals("bad")).count());
    }

    @Test
    @DisplayName("A swallowed error of a statement rolls the handler's transaction back")
    void swallowedError() throws Exception {
        fixture.subscribe(engine, "work", Set.of("entry"), QUICK, delivery -> {
            QueueFixture.enter(delivery);
            try (Statement statement = delivery.connection().createStatement()) {
                statement.execute("select 1 / 0");
            } catch (SQLException e) {
                // swallowed
            }
        });
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.await("1", "select count(*) from sluice.dead_letter where error ~ 'division by zero'");
        assertEquals("0", fixture.query("select count(*) from ledger"));
    }

    @Test
    @DisplayName("More urgent jobs come first, and older ones within a priority")
    void priorities() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry', 'null', priority)"
                + " from unnest('{3,2,1,0,3,2,1,0}'::int[]) priority");
        Handlers handlers = fixture.handlers("work", Set.of("entry"), QUICK, Delivery::acknowledge);
        handlers.concurrency = 1;
        engine.subscribe(handlers);
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals(
                List.of(4L, 8L, 3L, 7L, 2L, 6L, 1L, 5L),
                handlers.seen.stream().map(Job::id).toList());
    }

    @Test
    @DisplayName("Never more jobs run at once than the subscriber allows")
    void concurrency() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Handlers handlers = fixture.transacted("work", Set.of("entry"), QUICK, delivery -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            QueueFixture.enter(delivery);
            running.decrementAndGet();
        });
        handlers.concurrency = 3;
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 200)");
        engine.subscribe(handlers);
        fixture.await("200", "select count(*) from ledger");
        assertTrue(most.get() <= 3, most + " at once");
    }

    @Test
    @DisplayName("The connection of a delivery is there while its transaction is, and not before or after")
    void connection() throws Exception {
        List<String> refusals = new CopyOnWriteArrayList<>();
        Handlers handlers = fixture.handlers("work", Set.of("entry"), QUICK, delivery -> {
            refusals.add(assertThrows(SQLException.class, delivery::connection).getSQLState());
            TestTransaction.run(delivery, one -> assertSame(one.connection(), one.connection()));
            refusals.add(assertThrows(SQLException.class, delivery::connection).getSQLState());
        });
        engine.subscribe(handlers);
        fixture.execute("select sluice.enqueue('work', 'entry')");
        QueueFixture.await(() -> handlers.settled.get() == 1, () -> "not settled");
        assertEquals(List.of("25000", "25000"), refusals);
    }

    @Test
    @DisplayName("A connection whose session a handler changed is not given to the next job")
    void sessionChanged() throws Exception {
        Handlers handlers = fixture.transacted("work", Set.of("set", "look"), QUICK, delivery -> {
            try (Statement statement = delivery.connection().createStatement()) {
                if (delivery.job().kind().equals("set")) {
                    statement.execute("set search_path = elsewhere");
                    delivery.sessionChanged();
                } else {
                    statement.execute("insert into ledger values (1, 1)");
                }
            }
        });
        handlers.concurrency = 1;
        fixture.execute("select sluice.enqueue('work', 'set')");
        fixture.execute("select sluice.enqueue('work', 'look')");
        engine.subscribe(handlers);
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals("1", fixture.query("select count(*) from ledger"), "the first attempt succeeds");
    }
}
