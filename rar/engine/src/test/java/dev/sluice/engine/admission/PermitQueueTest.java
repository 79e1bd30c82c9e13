package dev.sluice.engine.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.Permit;
import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.Engine;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PermitQueueTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    private QueueFixture fixture;
    private final List<Connections> pools = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_budget('reports', 1)");
    }

    @AfterEach
    void tearDown() throws Exception {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
        pools.forEach(Connections::close);
        fixture.close();
    }

    /** The part of a node in the semaphore. */
    private PermitQueue permits(TestNode node) {
        Connections pool = new Connections(fixture.database(), () -> "admission", "");
        pools.add(pool);
        return new PermitQueue(pool, fixture.schema(), node::id, () -> true);
    }

    private PermitQueue permits() throws SQLException {
        return permits(fixture.node());
    }

    private Future<Permit> acquireLater(Admission admission, String holder) {
        return threads.submit(() -> admission.acquire("reports", holder, LONG));
    }

    private void awaitRequests(int count) throws Exception {
        fixture.await(String.valueOf(count), "select count(*) from sluice.permit");
    }

    private String permits(String columns) throws SQLException {
        return fixture.query("select string_agg(" + columns + ", ' ' order by id) from sluice.permit p");
    }

    @Test
    @DisplayName("A limit of one is never exceeded by many threads of two nodes, and everybody gets a turn")
    void exclusive() throws Exception {
        fixture.execute("create table turn (n int)");
        Engine one = fixture.engine(Map.of(Setting.NODE_TIMEOUT, "15000"));
        Engine two = fixture.engine(Map.of(Setting.NODE_TIMEOUT, "15000"));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<?>> runs = new ArrayList<>();
        for (int thread = 0; thread < 6; thread++) {
            Admission admission = (thread % 2 == 0 ? one : two).admission();
            runs.add(threads.submit(() -> {
                for (int turn = 0; turn < 3; turn++) {
                    try (Permit permit = admission.acquire("reports", "test", LONG)) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        fixture.execute(
                                "insert into turn select count(*) from sluice.permit where granted_at is not null");
                        inside.decrementAndGet();
                    }
                }
                return null;
            }));
        }
        for (Future<?> run : runs) {
            run.get(40, TimeUnit.SECONDS);
        }
        assertEquals(1, most.get());
        assertEquals("18 1", fixture.query("select count(*) || ' ' || max(n) from turn"));
        fixture.await("0", "select count(*) from sluice.permit");
    }

    @Test
    @DisplayName("Who asked first is granted first, on whatever node")
    void inOrder() throws Exception {
        PermitQueue[] nodes = {permits(), permits()};
        Permit first = nodes[0].acquire("reports", "0", LONG);
        List<Future<?>> waiters = new ArrayList<>();
        List<String> order = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            String holder = String.valueOf(i);
            PermitQueue node = nodes[i % 2];
            waiters.add(threads.submit(() -> {
                try (Permit permit = node.acquire("reports", holder, LONG)) {
                    synchronized (order) {
                        order.add(holder);
                    }
                }
                return null;
            }));
            awaitRequests(i + 1);
        }
        first.close();
        for (Future<?> waiter : waiters) {
            waiter.get(30, TimeUnit.SECONDS);
        }
        assertEquals(List.of("1", "2", "3", "4", "5"), order);
    }

    @Test
    @DisplayName("A permit that is given back is passed on at once on its own node")
    void passedOn() throws Exception {
        PermitQueue node = permits();
        Permit permit = node.acquire("reports", "first", LONG);
        long begun = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            Future<Permit> next = acquireLater(node, "next");
            awaitRequests(2);
            permit.close();
            permit = next.get(30, TimeUnit.SECONDS);
        }
        permit.close();
        assertTrue(System.nanoTime() - begun < Duration.ofSeconds(15).toNanos(), "polled each time");
    }

    @Test
    @DisplayName("A deadline that passes names the budget and the remedy, and takes the request back")
    void deadline() throws Exception {
        PermitQueue node = permits();
        try (Permit held = node.acquire("reports", "holder", LONG)) {
            assertNotNull(held);
            long begun = System.nanoTime();
            AdmissionException error =
                    assertThrows(AdmissionException.class, () -> node.acquire("reports", "late", SHORT));
            assertTrue(System.nanoTime() - begun >= SHORT.toNanos(), "before its time");
            assertTrue(error.getMessage().contains("\"reports\""), error.getMessage());
            assertTrue(error.getMessage().contains("sluice.define_budget"), error.getMessage());
            assertEquals("holder", permits("holder"));
        }
        fixture.await("0", "select count(*) from sluice.permit");
    }

    @Test
    @DisplayName("With a deadline of zero a free permit is granted, and a taken one refused at once")
    void noWait() throws Exception {
        PermitQueue node = permits();
        for (int i = 0; i < 20; i++) {
            try (Permit permit = node.acquire("reports", "holder", Duration.ZERO)) {
                assertNotNull(permit);
                assertThrows(AdmissionException.class, () -> node.acquire("reports", "late", Duration.ZERO));
            }
        }
    }

    @Test
    @DisplayName("An unknown budget is refused, and the error names those that there are and how to create one")
    void unknownBudget() throws Exception {
        PermitQueue node = permits();
        fixture.execute("select sluice.define_budget('Große Läufe', 1)");
        AdmissionException error = assertThrows(AdmissionException.class, () -> node.acquire("report", "holder", LONG));
        for (String part :
                new String[] {"\"report\"", "\"Große Läufe\", reports", "sluice.define_budget('report', 1)"}) {
            assertTrue(error.getMessage().contains(part), error.getMessage());
        }
        assertEquals("0", fixture.query("select count(*) from sluice.permit"));
    }

    @Test
    @DisplayName("Whoever waits holds neither a transaction nor a snapshot, and changes nothing")
    void waiterHoldsNothing() throws Exception {
        PermitQueue node = permits();
        try (Permit held = node.acquire("reports", "holder", LONG)) {
            assertNotNull(held);
            Future<Permit> waiter = acquireLater(node, "waiter");
            awaitRequests(2);
            String before = permits("p::text").replaceAll("\\s", "");
            int idle = 0;
            for (int sample = 0; sample < 100; sample++) {
                String busy = fixture.query("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name = 'sluice admission'"
                        + " and (state <> 'idle' or backend_xid is not null or backend_xmin is not null)");
                idle += busy.equals("0") ? 1 : 0;
                // sampled out of step with the askings
                TimeUnit.MILLISECONDS.sleep(7);
            }
            // each asking is a transaction of about a millisecond
            assertTrue(idle >= 90, "idle in " + idle + " of 100 samples");
            assertFalse(waiter.isDone());
            assertEquals(before, permits("p::text").replaceAll("\\s", ""));
            waiter.cancel(true);
        }
    }

    @Test
    @DisplayName("A dead node's permit comes free, after the backend that works for it is gone")
    void deadNode() throws Exception {
        TestNode dead = fixture.node();
        try (Connection worker = fixture.connect();
                Statement statement = worker.createStatement()) {
            Permit permit = permits(dead).acquire("reports", "dead", LONG);
            permit.bind(worker);
            String pid = String.valueOf(
                    worker.unwrap(org.postgresql.PGConnection.class).getBackendPID());
            assertEquals(pid, permits("backend_pid::text"));
            CompletableFuture<SQLException> end = CompletableFuture.supplyAsync(
                    () -> assertThrows(SQLException.class, () -> statement.execute("select pg_sleep(60)")), threads);
            fixture.await("active", "select state from pg_stat_activity where pid = " + pid);
            PermitQueue alive = permits();
            Future<Permit> next = acquireLater(alive, "alive");
            awaitRequests(2);
            dead.die();
            try (Permit granted = next.get(30, TimeUnit.SECONDS)) {
                assertNotNull(granted);
                assertEquals(
                        "0", fixture.query("select count(*) from pg_stat_activity where pid = " + pid), "ended before");
                assertEquals("alive", permits("holder"));
            }
            assertEquals("57P01", end.get(10, TimeUnit.SECONDS).getSQLState());
        }
    }

    @Test
    @DisplayName("A dead node's permit is not given on while its backend does not end")
    void stubbornBackend() throws Exception {
        TestNode dead = fixture.node();
        TestNode alive = fixture.node();
        try (Connection worker = fixture.connect()) {
            permits(dead).acquire("reports", "dead", LONG).bind(worker);
            String pid = permits("backend_pid::text");
            String request = fixture.query("select sluice.request_permit('reports', " + alive.id() + ", 'alive')");
            String grant = "select sluice.grant_permit(" + request + ")";
            dead.die();
            signal("-STOP", pid);
            try {
                for (int i = 0; i < 5; i++) {
                    assertEquals("waiting", fixture.query(grant));
                }
                assertEquals("1", fixture.query("select count(*) from pg_stat_activity where pid = " + pid));
            } finally {
                signal("-CONT", pid);
            }
            fixture.await("granted", grant);
            assertEquals("0", fixture.query("select count(*) from pg_stat_activity where pid = " + pid));
        }
    }

    private static void signal(String signal, String pid) throws Exception {
        assertEquals(
                0, new ProcessBuilder("kill", signal, pid).inheritIO().start().waitFor());
    }

    @Test
    @DisplayName("A backend of the same number that began at another time is a stranger's, and left alone")
    void strangersBackend() throws Exception {
        TestNode dead = fixture.node();
        try (Connection stranger = fixture.connect()) {
            Permit permit = permits(dead).acquire("reports", "dead", LONG);
            permit.bind(stranger);
            fixture.execute("update sluice.permit set backend_start = backend_start - interval '1 s'");
            dead.die();
            try (Permit granted = permits().acquire("reports", "alive", LONG)) {
                assertNotNull(granted);
                assertTrue(stranger.isValid(5), "a stranger was ended");
            }
        }
    }

    @Test
    @DisplayName("A permit is not given on while its backend cannot be seen, since it may still work")
    void invisibleBackend() throws Exception {
        fixture.execute("drop role if exists permit_keeper");
        fixture.execute("create role permit_keeper login");
        fixture.execute("grant usage on schema sluice to permit_keeper");
        fixture.execute("grant all on all tables in schema sluice to permit_keeper");
        try (Connection worker = fixture.connect()) {
            TestNode dead = fixture.node();
            permits(dead).acquire("reports", "dead", LONG).bind(worker);
            dead.die();
            // neither pg_read_all_stats nor pg_signal_backend, and the worker is of another role
            Connections pool = new Connections(
                    new Database(fixture.settings(Map.of(Setting.USER, "permit_keeper"))), () -> "admission", "");
            pools.add(pool);
            PermitQueue keeper = new PermitQueue(pool, fixture.schema(), fixture.node()::id, () -> true);
            assertThrows(
                    AdmissionException.class,
                    () -> keeper.acquire("reports", "keeper", SHORT).close());
            assertTrue(worker.isValid(5));
        } finally {
            pools.remove(pools.size() - 1).close();
            fixture.await("0", "select count(*) from pg_stat_activity where usename = 'permit_keeper'");
            fixture.execute("drop owned by permit_keeper");
            fixture.execute("drop role permit_keeper");
        }
    }

    @Test
    @DisplayName("A permit whose connection broke is passed on only when its backend, which works on, is gone")
    void brokenWorker() throws Exception {
        PermitQueue node = permits();
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port());
                Connection worker = fixture.databaseThrough(proxy).open("worker");
                Statement statement = worker.createStatement()) {
            Permit permit = node.acquire("reports", "broken", LONG);
            permit.bind(worker);
            String pid = permits("backend_pid::text");
            Future<?> work = threads.submit(() -> statement.execute("select pg_sleep(60)"));
            fixture.await("active", "select state from pg_stat_activity where pid = " + pid);
            Future<Permit> next = acquireLater(node, "next");
            awaitRequests(2);
            proxy.cutAll();
            assertThrows(ExecutionException.class, () -> work.get(10, TimeUnit.SECONDS));
            permit.close();
            QueueFixture.await(
                    () -> {
                        node.tidy();
                        return next.isDone();
                    },
                    () -> "not passed on");
            assertEquals("0", fixture.query("select count(*) from pg_stat_activity where pid = " + pid));
            next.get().close();
        }
    }

    @Test
    @DisplayName("A permit that was given on cannot be bound, and the error says so")
    void bindTooLate() throws Exception {
        TestNode dead = fixture.node();
        Permit permit = permits(dead).acquire("reports", "dead", LONG);
        dead.die();
        permits().acquire("reports", "alive", LONG).close();
        try (Connection worker = fixture.connect()) {
            AdmissionException error = assertThrows(AdmissionException.class, () -> permit.bind(worker));
            assertTrue(
                    error.getMessage().contains("\"reports\"")
                            && error.getMessage().contains("lost"),
                    error.getMessage());
        }
        permit.close();
        permit.close();
    }

    @Test
    @DisplayName("The request of a node that was taken for dead is refused, and the error says so")
    void lostRequest() throws Exception {
        PermitQueue node = permits();
        try (Permit held = node.acquire("reports", "holder", LONG)) {
            assertNotNull(held);
            Future<Permit> waiter = acquireLater(node, "waiter");
            awaitRequests(2);
            fixture.execute("delete from sluice.permit where holder = 'waiter'");
            Throwable error = assertThrows(ExecutionException.class, () -> waiter.get(30, TimeUnit.SECONDS))
                    .getCause();
            assertTrue(error instanceof AdmissionException, error.toString());
            assertTrue(error.getMessage().contains("taken for dead"), error.getMessage());
        }
    }

    @Test
    @DisplayName(
            "A limit that is raised lets waiters in, one that is lifted all of them, one that is lowered keeps holders")
    void changedLimit() throws Exception {
        PermitQueue node = permits();
        List<Permit> held = new ArrayList<>(List.of(node.acquire("reports", "0", LONG)));
        List<Future<Permit>> waiters = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            waiters.add(acquireLater(node, String.valueOf(i)));
            awaitRequests(i + 1);
        }
        fixture.execute("select sluice.define_budget('reports', 3)");
        fixture.await("3", "select count(granted_at) from sluice.permit");
        held.add(waiters.get(0).get(10, TimeUnit.SECONDS));
        held.add(waiters.get(1).get(10, TimeUnit.SECONDS));
        assertFalse(waiters.get(2).isDone());
        fixture.execute("select sluice.define_budget('reports', null)");
        held.add(waiters.get(2).get(10, TimeUnit.SECONDS));
        held.add(waiters.get(3).get(10, TimeUnit.SECONDS));
        for (int i = 0; i < 20; i++) {
            held.add(node.acquire("reports", "unlimited", Duration.ZERO));
        }
        fixture.execute("select sluice.define_budget('reports', 1)");
        assertThrows(AdmissionException.class, () -> node.acquire("reports", "late", SHORT));
        assertEquals("25", fixture.query("select count(granted_at) from sluice.permit"));
        held.forEach(Permit::close);
        node.acquire("reports", "at last", LONG).close();
        fixture.execute("select sluice.define_budget('reports', 0)");
        assertThrows(AdmissionException.class, () -> node.acquire("reports", "never", SHORT));
    }

    @Test
    @DisplayName("Budgets do not count for each other")
    void budgets() throws Exception {
        fixture.execute("select sluice.define_budget('other', 1)");
        PermitQueue node = permits();
        try (Permit one = node.acquire("reports", "a", Duration.ZERO);
                Permit two = node.acquire("other", "b", Duration.ZERO)) {
            assertNotNull(one);
            assertNotNull(two);
        }
    }

    @Test
    @DisplayName("An interrupt ends the wait and takes the request back")
    void interrupt() throws Exception {
        PermitQueue node = permits();
        try (Permit held = node.acquire("reports", "holder", LONG)) {
            assertNotNull(held);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread waiter = new Thread(() -> {
                try {
                    node.acquire("reports", "waiter", LONG);
                } catch (Throwable e) {
                    end.set(e);
                }
            });
            waiter.start();
            awaitRequests(2);
            waiter.interrupt();
            waiter.join();
            assertTrue(end.get() instanceof InterruptedException, String.valueOf(end.get()));
            assertEquals("holder", permits("holder"));
        }
    }

    @Test
    @DisplayName("A permit that cannot be given back is given back later")
    void giveBackLater() throws Exception {
        PermitQueue node = permits();
        Permit permit = node.acquire("reports", "holder", LONG);
        fixture.execute("alter table sluice.permit rename to hidden");
        permit.close();
        fixture.execute("alter table sluice.hidden rename to permit");
        assertEquals("holder", permits("holder"));
        node.tidy();
        assertEquals("0", fixture.query("select count(*) from sluice.permit"));
    }

    @Test
    @DisplayName("An engine without a database refuses, and says why")
    void noDatabase() throws Exception {
        Engine engine = fixture.idleEngine(Map.of(Setting.URL, "jdbc:postgresql://127.0.0.1:1/none"));
        engine.start();
        QueueFixture.await(
                () -> engine.status().problem().contains("refused"),
                () -> engine.status().problem());
        AdmissionException error =
                assertThrows(AdmissionException.class, () -> engine.admission().acquire("reports", "holder", LONG));
        assertTrue(error.getMessage().contains("refused"), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("A waiter keeps its place over a restart of PostgreSQL, however long that takes")
    void restart(boolean longerThanTheTimeout) throws Exception {
        try (PostgresServer server = PostgresServer.builder().start();
                QueueFixture own = new QueueFixture(server)) {
            own.execute("select sluice.define_budget('reports', 1)");
            Map<Setting, String> timeout = Map.of(Setting.NODE_TIMEOUT, longerThanTheTimeout ? "1000" : "60000");
            Engine one = own.engine(timeout);
            Engine two = own.engine(timeout);
            Permit held = one.admission().acquire("reports", "holder", LONG);
            Future<Permit> first = threads.submit(() -> two.admission().acquire("reports", "first", LONG));
            own.await("2", "select count(*) from sluice.permit");
            Future<Permit> second = threads.submit(() -> one.admission().acquire("reports", "second", LONG));
            own.await("3", "select count(*) from sluice.permit");
            String before = own.query("select string_agg(id || holder, ' ' order by id) from sluice.permit");

            server.stop(StopMode.IMMEDIATE);
            if (longerThanTheTimeout) {
                long until = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
                QueueFixture.await(() -> System.nanoTime() - until > 0, () -> "");
            }
            server.start();

            QueueFixture.awaitReady(one);
            QueueFixture.awaitReady(two);
            own.await(before, "select string_agg(id || holder, ' ' order by id) from sluice.permit");
            assertFalse(first.isDone(), "granted while the holder holds");
            held.close();
            first.get(30, TimeUnit.SECONDS).close();
            second.get(30, TimeUnit.SECONDS).close();
        }
    }
}
