package dev.sluice.engine.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.Permit;
import dev.sluice.engine.Engine;
import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Setting;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PermitQueueTest extends PermitTestCase {

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
        try (PostgresServer server = PostgresVersion.standard().builder().start();
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
