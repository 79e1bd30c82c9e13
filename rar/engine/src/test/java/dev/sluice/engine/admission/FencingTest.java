package dev.sluice.engine.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.AdmissionException;
import dev.sluice.api.Permit;
import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Permits of nodes that are taken for dead, and of connections that broke. */
@Timeout(60)
class FencingTest extends PermitTestCase {

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
}
