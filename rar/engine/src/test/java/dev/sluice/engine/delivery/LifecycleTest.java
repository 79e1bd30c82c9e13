package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts, stops, subscriptions and their ends. */
@Timeout(120)
@Isolated("counts threads")
@ParameterizedClass
@EnumSource(ClaimMode.class)
class LifecycleTest {

    private static final Duration LONG = Duration.ofSeconds(10);
    private static final RetryPolicy DEFAULT = new RetryPolicy(null, null, null);
    private static final String SESSIONS =
            "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'sluice %'";

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = mode;
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private void enqueue(int jobs) throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, " + jobs + ")");
    }

    private static long engineThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sluice"))
                .count();
    }

    @Test
    @DisplayName("A stop waits for the jobs that run, and claims no more")
    void stopWaits() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Engine engine = fixture.engine();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, delivery -> {
            QueueFixture.enter(delivery);
            release.await();
        });
        handlers.concurrency = 2;
        enqueue(10);
        QueueFixture.await(() -> handlers.seen.size() == 2, () -> handlers.seen.toString());

        AtomicReference<String> doneAtStop = new AtomicReference<>();
        Thread stopper = new Thread(() -> {
            try {
                engine.stop(LONG);
                doneAtStop.set(fixture.query("select count(*) from ledger"));
            } catch (SQLException e) {
                throw new AssertionError(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stopper.start();
        QueueFixture.await(() -> stopper.getState() == Thread.State.TIMED_WAITING, () -> "does not wait");
        assertEquals(0, handlers.settled.get());
        release.countDown();
        stopper.join();

        assertEquals("2", doneAtStop.get());
        assertEquals(2, handlers.seen.size());
        assertEquals("2", fixture.query("select count(*) from ledger"));
        assertEquals("8 0", fixture.query("select count(*) || ' ' || count(lease) from sluice.job"));
    }

    @Test
    @DisplayName("A stop waits no longer than it was told, and what runs then is left to others")
    void stopGivesUp() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Engine engine = fixture.engine();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, delivery -> {
            QueueFixture.enter(delivery);
            release.await();
        });
        enqueue(1);
        QueueFixture.await(() -> handlers.seen.size() == 1, () -> "not begun");
        engine.stop(Duration.ofMillis(200));
        assertEquals(0, engineThreads());

        Engine other = fixture.engine();
        fixture.subscribe(other, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        fixture.await("1", "select count(*) from ledger");
        release.countDown();
        QueueFixture.await(() -> handlers.settled.get() == 1, () -> "not settled");
        assertEquals("1", fixture.query("select count(*) from ledger"));
    }

    @Test
    @DisplayName("An engine can be started twice, stopped twice, and started again")
    void twice() throws Exception {
        Engine engine = fixture.idleEngine(Map.of());
        engine.stop(LONG);
        engine.start();
        engine.start();
        fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        enqueue(1);
        fixture.await("1", "select count(*) from ledger");
        assertEquals(1, engineThreads());
        engine.stop(LONG);
        engine.stop(LONG);
        assertFalse(engine.status().ready());
        enqueue(1);
        engine.start();
        fixture.await("2", "select count(*) from ledger");
        assertTrue(engine.status().ready());
    }

    @Test
    @DisplayName("Twenty quick starts and stops under load leave no thread and no session, and take no job for dead")
    void stress() throws Exception {
        enqueue(600);
        Engine engine = fixture.idleEngine(Map.of());
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, delivery -> {
            try (Statement statement = delivery.connection().createStatement()) {
                statement.execute("insert into ledger select " + delivery.job().id() + " from pg_sleep(0.02)");
            }
        });
        for (int round = 0; round < 20; round++) {
            engine.start();
            int before = handlers.seen.size();
            if (round % 4 != 0) {
                QueueFixture.await(
                        () -> handlers.seen.size() > before || handlers.seen.size() >= 600,
                        () -> engine.status().toString());
            }
            engine.stop(LONG);
            assertEquals(0, engineThreads());
            assertEquals(handlers.seen.size(), handlers.ended.get(), "jobs run after stop, round " + round);
        }
        fixture.await("0", SESSIONS);
        engine.start();
        fixture.await("600", "select count(*) from ledger");
        assertEquals("600", fixture.query("select count(distinct job) from ledger"));
        assertTrue(handlers.seen.stream().noneMatch(Job::alone), "taken for dead");
        engine.stop(LONG);
        fixture.await("0", SESSIONS);
    }

    @Test
    @DisplayName("An engine that never reaches its database stops")
    void stopWhileConnecting() throws Exception {
        Engine engine = fixture.idleEngine(Map.of(Setting.URL, "jdbc:postgresql://127.0.0.1:1/none"));
        engine.start();
        QueueFixture.await(
                () -> engine.status().problem().contains("refused"),
                () -> engine.status().problem());
        engine.stop(LONG);
        assertEquals(0, engineThreads());
    }

    @Test
    @DisplayName("After an unsubscription under load nothing is handed over, and nothing runs")
    void unsubscribe() throws Exception {
        Engine engine = fixture.engine();
        for (int round = 0; round < 50; round++) {
            enqueue(200);
            Handlers handlers = fixture.transacted("work", Set.of("entry"), DEFAULT, QueueFixture::enter);
            engine.subscribe(handlers);
            QueueFixture.await(
                    () -> handlers.seen.size() >= 20, () -> engine.status().toString());
            assertTrue(engine.unsubscribe(handlers, LONG));
            int accepted = handlers.seen.size();
            assertEquals(accepted, handlers.ended.get(), "runs after the end, round " + round);
            // the engine has turned around at least once
            long claims = engine.status().claims();
            enqueue(200);
            Handlers next = fixture.transacted("work", Set.of("entry"), DEFAULT, QueueFixture::enter);
            engine.subscribe(next);
            QueueFixture.await(
                    () -> engine.status().claims() > claims + 1,
                    () -> engine.status().toString());
            assertEquals(accepted, handlers.seen.size(), "handed over after the end, round " + round);
            engine.unsubscribe(next, LONG);
        }
    }

    @Test
    @DisplayName("An unsubscription while the queue is being defined ends the subscription, too")
    void unsubscribeEarly() throws Exception {
        Engine engine = fixture.engine();
        try (Connection blocker = fixture.connect();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("select sluice.define_queue('late')");
            Handlers handlers = fixture.subscribe(engine, "late", Set.of("entry"), DEFAULT, QueueFixture::enter);
            fixture.awaitBlocked("define_queue");
            assertTrue(engine.unsubscribe(handlers, LONG));
            blocker.commit();
            fixture.execute("select sluice.enqueue('late', 'entry')");
            fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
            enqueue(10);
            fixture.await("10", "select count(*) from ledger");
            assertEquals(0, handlers.seen.size());
        }
    }

    @Test
    @DisplayName("A subscription whose queue could not be defined for want of the connection is made up for")
    void subscribeInOutage() throws Exception {
        Engine engine = fixture.engine();
        try (Connection blocker = fixture.connect();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("select sluice.define_queue('late')");
            fixture.subscribe(engine, "late", Set.of("entry"), DEFAULT, QueueFixture::enter);
            fixture.awaitBlocked("define_queue");
            fixture.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where datname = current_database() and application_name = 'sluice control'");
            blocker.commit();
        }
        fixture.execute("select sluice.enqueue('late', 'entry')");
        fixture.await("1", "select count(*) from ledger");
    }

    @Test
    @DisplayName("A subscriber that comes while the engine waits is served at once")
    void subscribeLate() throws Exception {
        Engine engine = fixture.engine(Map.of(Setting.NODE_TIMEOUT, "60000", Setting.POLL_INTERVAL, "20000"));
        enqueue(1);
        long begun = System.nanoTime();
        fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        fixture.await("1", "select count(*) from ledger");
        assertTrue(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) < 8, "only after a heartbeat");
    }

    @Test
    @DisplayName("A wake-up delivers new jobs at once, without a poll")
    void wake() throws Exception {
        Engine engine = fixture.engine(Map.of(Setting.NODE_TIMEOUT, "60000", Setting.POLL_INTERVAL, "20000"));
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        enqueue(1);
        engine.wake("work");
        QueueFixture.await(() -> handlers.settled.get() == 1, () -> "not delivered");
        long begun = System.nanoTime();
        for (int i = 2; i <= 20; i++) {
            int expected = i;
            enqueue(1);
            engine.wake("work");
            QueueFixture.await(() -> handlers.settled.get() == expected, () -> "not delivered");
        }
        assertTrue(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) < 10);
    }

    @Test
    @DisplayName("A stop from several threads at once ends all of them")
    void stopAtOnce() throws Exception {
        Engine engine = fixture.engine();
        fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        CompletableFuture<?>[] stops = new CompletableFuture<?>[3];
        for (int i = 0; i < stops.length; i++) {
            stops[i] = CompletableFuture.runAsync(() -> {
                try {
                    engine.stop(LONG);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        CompletableFuture.allOf(stops).get(30, TimeUnit.SECONDS);
        assertEquals(0, engineThreads());
    }
}
