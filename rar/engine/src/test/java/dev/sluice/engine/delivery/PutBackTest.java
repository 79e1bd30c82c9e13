package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that were claimed but not run. */
@Timeout(60)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class PutBackTest {

    private static final RetryPolicy ONCE = new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1));

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private Engine engine;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = mode;
        engine = fixture.engine();
        fixture.execute("select sluice.define_queue('work', 1)");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    @Test
    @DisplayName("A job of a kind without a handler waits uncounted, and runs when a handler comes")
    void unhandledKind() throws Exception {
        Handlers old = fixture.subscribe(engine, "work", Set.of("known"), ONCE, delivery -> {});
        fixture.execute("select sluice.enqueue('work', 'new')");
        fixture.execute("select sluice.enqueue('work', 'known')");
        fixture.await(
                "new 0 t t",
                "select concat_ws(' ', kind, attempt, error is null, run_at < clock_timestamp() + interval '10 s')"
                        + " from sluice.scheduled");
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals(1, old.seen.size());
        assertEquals("known", old.seen.peek().kind());

        assertTrue(engine.unsubscribe(old, Duration.ofSeconds(10)));
        Handlers both = fixture.subscribe(engine, "work", Set.of("known", "new"), ONCE, delivery -> {});
        fixture.execute("update sluice.scheduled_1 set run_at = clock_timestamp()");
        fixture.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)");
        assertEquals(0, both.seen.peek().attempt());
        assertEquals("0", fixture.query("select count(*) from sluice.dead_letter"));
    }

    @Test
    @DisplayName("Two subscribers of one queue on one node each get the jobs of their kinds without a detour")
    void twoSubscribers() throws Exception {
        Handlers one = fixture.subscribe(engine, "work", Set.of("one"), ONCE, delivery -> {});
        Handlers two = fixture.subscribe(engine, "work", Set.of("two"), ONCE, delivery -> {});
        QueueFixture.await(() -> engine.status().ready(), () -> engine.status().problem());
        fixture.execute("select sluice.enqueue('work', case when i % 2 = 0 then 'one' else 'two' end)"
                + " from generate_series(1, 20) i");
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals("0", fixture.query("select count(*) from sluice.scheduled"), "put back though a handler is here");
        assertEquals(10, one.seen.size());
        assertEquals(10, two.seen.size());
    }

    @Test
    @DisplayName(
            "Where one of two subscribers of a queue is busy, the jobs of the other do not wait behind, and nobody spins")
    void busyNeighbour() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Handlers slow = fixture.transacted("work", Set.of("slow"), ONCE, delivery -> release.await());
        slow.concurrency = 1;
        engine.subscribe(slow);
        Handlers quick = fixture.subscribe(engine, "work", Set.of("quick"), ONCE, delivery -> {});
        fixture.execute("select sluice.enqueue('work', 'slow') from generate_series(1, 50)");
        QueueFixture.await(() -> slow.seen.size() == 1, () -> "not begun");
        long claims = engine.status().claims();
        long begun = System.nanoTime();
        try {
            fixture.execute("select sluice.enqueue('work', 'quick') from generate_series(1, 50)");
            QueueFixture.await(() -> quick.settled.get() == 50, () -> quick.settled + " of 50, all behind the slow");
            long polls = 1 + Duration.ofNanos(System.nanoTime() - begun).toMillis() / 50;
            long made = engine.status().claims() - claims;
            // those that find nothing do not count, so each has brought at least one of the 50
            assertTrue(made <= 50 + 3 * polls, made + " claims in " + polls + " polls");
        } finally {
            release.countDown();
        }
        fixture.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)");
        assertEquals(50, slow.seen.size());
        assertEquals("0", fixture.query("select count(*) from sluice.dead_letter"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("A subscriber that refuses everything is not asked again and again without a pause")
    void refusesAll(boolean alone) throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.execute("update sluice.job_1 set alone = " + alone);
        Handlers inner = fixture.handlers("work", Set.of("entry"), ONCE, Delivery::acknowledge);
        AtomicInteger refusals = new AtomicInteger();
        engine.subscribe(new Refusing(inner, delivery -> {
            refusals.incrementAndGet();
            throw new IllegalStateException("never");
        }));
        QueueFixture.await(() -> refusals.get() > 0, () -> "not asked");
        long begun = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            engine.wake("work");
            fixture.execute("select pg_sleep(0.05)");
        }
        long seconds = 1 + Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertTrue(refusals.get() <= 1 + 2 * seconds, refusals + " in " + seconds + " s");
    }

    @Test
    @DisplayName("A job whose subscriber throws when it is handed over is given back uncounted")
    void refused() throws Exception {
        givesBack(() -> new IllegalStateException("no thread"));
    }

    @Test
    @DisplayName("An Error of a subscriber gives the job back, too, and does not end the engine")
    void refusedWithError() throws Exception {
        givesBack(() -> new OutOfMemoryError("unable to create native thread"));
    }

    @Test
    @DisplayName("What was claimed ahead for the place of a delivery that is refused does not stay behind")
    void claimedAhead() throws Exception {
        Handlers inner = fixture.handlers("work", Set.of("entry"), ONCE, Delivery::acknowledge);
        inner.concurrency = 1;
        AtomicBoolean refuses = new AtomicBoolean();
        engine.subscribe(new Refusing(inner, delivery -> {
            if (refuses.compareAndSet(true, false)) {
                throw new IllegalStateException("not now");
            }
        }));
        // it learns that they are short
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 100)");
        fixture.await("0", "select count(*) from sluice.job");
        QueueFixture.await(
                () -> engine.status().running() == 0, () -> engine.status().toString());
        refuses.set(true);
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 30)");
        fixture.await("0", "select count(*) from sluice.job");
        assertFalse(refuses.get(), "nothing was refused");
        assertEquals(130, inner.seen.stream().map(Job::id).distinct().count());
    }

    private void givesBack(Supplier<Throwable> refusal) throws Exception {
        AtomicInteger refusals = new AtomicInteger();
        Handlers inner = fixture.handlers("work", Set.of("entry"), ONCE, Delivery::acknowledge);
        engine.subscribe(new Refusing(inner, delivery -> {
            if (refusals.incrementAndGet() <= 2) {
                sneak(refusal.get());
            }
        }));
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 10)");
        fixture.await("0", "select count(*) from sluice.job");
        assertTrue(refusals.get() > 2, "refused " + refusals);
        assertTrue(inner.seen.stream().allMatch(job -> job.attempt() == 0 && !job.alone()), "as they were");
        assertEquals(10, inner.seen.stream().map(Job::id).distinct().count());
        assertEquals(10, inner.seen.size());
        assertEquals("0", fixture.query("select count(*) from sluice.dead_letter"));
        fixture.await("0", "select count(*) from sluice.claim");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable throwable) throws T {
        throw (T) throwable;
    }

    private interface Gate {
        void pass(Delivery delivery);
    }

    private static class Refusing implements Subscriber {

        private final Subscriber inner;
        private final Gate gate;

        Refusing(Subscriber inner, Gate gate) {
            this.inner = inner;
            this.gate = gate;
        }

        @Override
        public String queue() {
            return inner.queue();
        }

        @Override
        public RetryPolicy retryPolicy() {
            return inner.retryPolicy();
        }

        @Override
        public ClaimMode mode() {
            return inner.mode();
        }

        @Override
        public Set<String> batchKinds() {
            return inner.batchKinds();
        }

        @Override
        public Set<String> kinds() {
            return inner.kinds();
        }

        @Override
        public int batch() {
            return inner.batch();
        }

        @Override
        public int concurrency() {
            return inner.concurrency();
        }

        @Override
        public void accept(Delivery delivery) {
            gate.pass(delivery);
            inner.accept(delivery);
        }
    }
}
