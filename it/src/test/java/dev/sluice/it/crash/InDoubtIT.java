package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that halts and leaves our branch prepared. The other database is committed first here, so that at "before
 * commit" the transaction log says commit and both are prepared, at "after commit" ours alone.
 */
class InDoubtIT {

    private static final String OURS = "select gid from pg_prepared_xacts where database = 'work'";
    private static final String OUTCOME = "select outcome from sluice.resolution";

    private static final String RESOURCES_MAY_DISAGREE = "Its resources may disagree now";

    private Site site;

    @BeforeEach
    void open() throws Exception {
        site = Site.open();
    }

    @AfterEach
    void close() throws Exception {
        site.close();
    }

    /** The server halts at this point of the two-phase commit of one delivered job; returns our branch. */
    private String haltDelivering(LibertyServer server, String point) throws Exception {
        site.awaitQueues("doubtful");
        Files.writeString(site.haltFile(), point);
        site.execute("select sluice.enqueue('doubtful', 'enter')");
        assertTrue(server.awaitExit(Duration.ofSeconds(60)), "it halts " + point);
        return site.query(OURS);
    }

    /** The server halts at this point of the two-phase commit of one enqueue; returns our branch. */
    private String haltEnqueueing(LibertyServer server, String point) throws Exception {
        site.awaitQueues("work");
        Files.writeString(site.haltFile(), point);
        try {
            site.post(server, "/probe/order");
        } catch (IOException e) {
            // it halted before it answered
        }
        assertTrue(server.awaitExit(Duration.ofSeconds(60)), "it halts " + point);
        return site.query(OURS);
    }

    private void resolve(String gid, String verdict) throws Exception {
        site.query("select sluice.resolve('" + gid + "', '" + verdict + "')");
        site.await("0", "select count(*) from sluice.resolution where done_at is null");
        assertEquals(verdict, site.query(OUTCOME));
        assertNull(site.query("select error from sluice.resolution"));
    }

    private void awaitHealth(LibertyServer server, String part) throws Exception {
        long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        String health = site.get(server, "/health/ready").body();
        while (!health.contains(part)) {
            assertTrue(System.nanoTime() < until, () -> "no " + part);
            TimeUnit.MILLISECONDS.sleep(100);
            health = site.get(server, "/health/ready").body();
        }
        assertTrue(health.contains("\"status\":\"UP\""), health);
    }

    private String count(String database) throws Exception {
        return site.query(database, "select count(*) from ledger");
    }

    @Test
    @DisplayName("Another server counts it, stays ready and commits it when asked to; its own, come back, then forgets")
    void committed() throws Exception {
        LibertyServer server = site.start("a");
        String gid = haltDelivering(server, "after commit");
        assertEquals("1", count("other"));

        LibertyServer other = site.start("b");
        awaitHealth(other, "\"inDoubt\":1");
        assertFalse(site.get(other, "/health/ready").body().contains("\"oldestInDoubtSeconds\":0"));
        // the job is neither run again nor lost meanwhile, and others are delivered
        site.execute("select sluice.enqueue('doubtful', 'enter')");
        site.await("1", "select count(*) from ledger");
        assertEquals("1", site.query("select count(*) from sluice.job where lease is not null"));

        resolve(gid, "commit");
        site.await("0", "select count(*) from sluice.job");
        site.await("0", "select count(*) from sluice.claim");
        awaitHealth(other, "\"inDoubt\":0");
        assertNothingPrepared();
        assertNull(site.query("select forgotten_at from sluice.resolution"));

        server.start();
        awaitForgotten();
        site.awaitReady(server);
        String log = server.messages();
        assertFalse(
                log.contains(RESOURCES_MAY_DISAGREE) || log.contains("WTRN0075") || log.contains("WTRN0076"),
                () -> transactionMessages(log));
        assertEquals("2", site.query("select count(distinct job) from ledger"));
        assertEquals("2", count("work"));
        assertEquals("2", count("other"));
    }

    @Test
    @DisplayName("After a rollback another server runs the job, and both databases agree")
    void rolledBack() throws Exception {
        String gid = haltDelivering(site.start("a"), "before commit");
        // what the operator does in the other database, which is not Sluice's
        String theirs = site.query("select gid from pg_prepared_xacts where database = 'other'");
        site.execute("other", "rollback prepared '" + theirs + "'");

        site.start("b");
        resolve(gid, "rollback");
        site.await("1", "select count(*) from ledger");
        site.await("0", "select count(*) from sluice.job");
        assertEquals("1", count("other"));
        assertNothingPrepared();
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback"})
    @DisplayName(
            "What was enqueued is there or not, as the verdict says; its server, come back without memory, forgets")
    void enqueued(String verdict) throws Exception {
        LibertyServer server = site.start("a");
        // the transaction log knows nothing of it yet, so its server would roll back
        String gid = haltEnqueueing(server, "before prepare");
        LibertyServer other = site.start("b");
        resolve(gid, verdict);
        String jobs = verdict.equals("commit") ? "1" : "0";
        site.await(jobs, "select count(*) from ledger");

        server.start();
        awaitForgotten();
        site.awaitReady(server);
        assertEquals(
                verdict.equals("commit"),
                server.messages().contains(RESOURCES_MAY_DISAGREE),
                () -> transactionMessages(server.messages()));
        awaitHealth(server, "\"inDoubt\":0");
        awaitHealth(other, "\"inDoubt\":0");
        site.await("0", "select count(*) from sluice.job");
        assertEquals(jobs, count("work"));
        assertEquals("0", count("other"));
        assertNothingPrepared();
    }

    @Test
    @DisplayName("Its server comes back and wants the opposite: it reports a heuristic outcome, once, and forgets")
    void opposite() throws Exception {
        LibertyServer server = site.start("a");
        String gid = haltDelivering(server, "before commit");
        site.start("b");
        resolve(gid, "rollback");
        site.await("1", "select count(*) from ledger");

        server.start();
        awaitForgotten();
        site.awaitReady(server);
        String log = server.messages();
        assertTrue(log.contains("WTRN0075W") && log.contains(RESOURCES_MAY_DISAGREE), () -> transactionMessages(log));
        site.await("0", "select count(*) from pg_prepared_xacts");
        assertEquals("2", count("other"), "one of a, as its log says, and one of b");
        assertEquals("1", count("work"));
        assertEquals("rollback", site.query(OUTCOME));

        server.restart();
        site.awaitReady(server);
        assertFalse(server.messages().contains("WTRN0075"), () -> transactionMessages(server.messages()));
    }

    @Test
    @DisplayName("Its server comes back before anybody decides: it commits by itself, and both databases agree")
    void undecided() throws Exception {
        LibertyServer server = site.start("a");
        haltDelivering(server, "before commit");
        server.start();
        site.await("0", "select count(*) from pg_prepared_xacts");
        site.awaitReady(server);
        site.await("0", "select count(*) from sluice.job");
        assertEquals("1", count("work"));
        assertEquals("1", count("other"));
        assertEquals("0", site.query("select count(*) from sluice.resolution"));
    }

    private void awaitForgotten() throws Exception {
        site.await("t", "select forgotten_at is not null from sluice.resolution");
    }

    private void assertNothingPrepared() throws Exception {
        assertNull(site.query("select string_agg(gid, ' ') from pg_prepared_xacts"));
    }

    private static String transactionMessages(String log) {
        return log.lines()
                .filter(line -> line.contains("WTRN") || line.contains("FFDC") || line.contains("in doubt"))
                .reduce("", (one, other) -> one + "\n" + other);
    }
}
