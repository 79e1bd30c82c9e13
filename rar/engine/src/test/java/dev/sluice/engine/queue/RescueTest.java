package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.database.Setting;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RescueTest {

    private static final RetryPolicy PATIENT = new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1));

    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_queue('work', 2, '1 ms', '1 ms')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private void enqueue(int jobs) throws SQLException {
        fixture.execute("select sluice.enqueue('work', 'entry', i::text) from generate_series(1, " + jobs + ") i");
    }

    private static List<Long> ids(List<Job> jobs) {
        return jobs.stream().map(Job::id).toList();
    }

    private static boolean acknowledge(Connection connection, Job job) throws SQLException {
        return new Transitions(new dev.sluice.engine.database.Schema("sluice")).acknowledge(connection, List.of(job));
    }

    @Test
    @DisplayName("A live node runs a dead one's jobs after the timeout, uncounted and one at a time")
    void deadNode() throws Exception {
        fixture.execute("create table run (job bigint, at timestamptz default clock_timestamp())");
        enqueue(10);
        TestNode dead = fixture.node();
        List<Job> claimed = dead.claim("work", 10);
        assertEquals(10, claimed.size());
        fixture.execute("update sluice.node set timeout = '1 s' where id = " + dead.id());
        dead.row().beat();

        Engine engine = fixture.engine();
        AtomicInteger together = new AtomicInteger();
        AtomicInteger mostTogether = new AtomicInteger();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, delivery -> {
            mostTogether.accumulateAndGet(together.incrementAndGet(), Math::max);
            try (Statement statement = delivery.connection().createStatement()) {
                statement.execute("insert into run values (" + delivery.job().id() + ")");
            } finally {
                together.decrementAndGet();
            }
        });
        fixture.await("10", "select count(*) from run");

        assertTrue(handlers.seen.stream().allMatch(Job::alone), "marked alone");
        assertTrue(handlers.seen.stream().allMatch(job -> job.attempt() == 0), "uncounted");
        assertEquals(1, mostTogether.get(), "one at a time");
        assertEquals(ids(claimed), handlers.seen.stream().map(Job::id).toList(), "in their order");
        String silence = "extract(epoch from (select min(at) from run)"
                + " - (select seen_at from sluice.node where id = " + dead.id() + "))";
        assertEquals("t", fixture.query("select " + silence + " between 1 and 20"), "not before, nor long after");
        fixture.await("0", "select count(*) from sluice.claim");
    }

    @Test
    @DisplayName("A job that dies alone is counted and becomes a dead letter; the jobs of its batch complete uncounted")
    void killerJob() throws Exception {
        enqueue(3);
        TestNode first = fixture.node();
        long killer = first.claim("work", 3).get(1).id();
        first.die();
        TestNode rescuer = fixture.node();
        assertEquals(3, rescuer.rescue());

        int deaths = 0;
        List<Job> completed = new ArrayList<>();
        while (deaths < 2) {
            TestNode node = fixture.node();
            Job job = node.claimAlone("work");
            if (job.id() == killer) {
                assertEquals(deaths, job.attempt());
                node.die();
                assertEquals(1, rescuer.rescue());
                deaths++;
            } else {
                assertTrue(node.acknowledge(job));
                completed.add(job);
            }
        }

        assertEquals(2, completed.size());
        assertTrue(completed.stream().allMatch(job -> job.attempt() == 0), "neighbours are not counted");
        assertEquals("0", fixture.query("select count(*) from sluice.job"));
        assertEquals(killer + " 2", fixture.query("select id || ' ' || attempt from sluice.dead_letter"));
        String error = fixture.query("select error from sluice.dead_letter");
        assertTrue(error.matches("node \\d+ died while it ran this job"), error);
    }

    @Test
    @DisplayName("A prepared acknowledgement holds its job and its claim until it commits")
    void preparedThenCommitted() throws Exception {
        List<Job> jobs = deadWithPreparedAcknowledgement();
        TestNode rescuer = fixture.node();
        assertEquals(1, rescuer.rescue(), "the other job");
        assertEquals(0, rescuer.rescue());
        assertEquals("2 1", fixture.query("select count(*) || ' ' || count(lease) from sluice.job"));
        assertEquals("1", fixture.query("select count(*) from sluice.claim"));
        assertEquals("1", fixture.query("select count(*) from sluice.node where id <> " + rescuer.id()), "its node");

        fixture.execute("commit prepared 'test'");

        assertEquals(0, rescuer.rescue());
        assertEquals("0", fixture.query("select count(*) from sluice.claim"));
        assertEquals(jobs.get(1).id(), rescuer.claimAlone("work").id());
        assertEquals("1", fixture.query("select count(*) from sluice.job"));
    }

    @Test
    @DisplayName("A job whose prepared acknowledgement rolls back is rescued then")
    void preparedThenRolledBack() throws Exception {
        List<Job> jobs = deadWithPreparedAcknowledgement();
        TestNode rescuer = fixture.node();
        assertEquals(1, rescuer.rescue());

        fixture.execute("rollback prepared 'test'");

        assertEquals(1, rescuer.rescue());
        assertEquals("0", fixture.query("select count(*) from sluice.claim"));
        Set<Long> free = Set.of(
                rescuer.claimAlone("work").id(), rescuer.claimAlone("work").id());
        assertEquals(Set.copyOf(ids(jobs)), free);
        assertEquals("0 2", fixture.query("select sum(attempt) || ' ' || count(*) from sluice.job"));
    }

    private List<Job> deadWithPreparedAcknowledgement() throws SQLException {
        enqueue(2);
        TestNode dead = fixture.node();
        List<Job> jobs = dead.claim("work", 2);
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertTrue(acknowledge(connection, jobs.get(0)));
            statement.execute("prepare transaction 'test'");
        }
        dead.die();
        return jobs;
    }

    @Test
    @DisplayName("A claim whose answer was lost is freed by its own node after a while, uncounted and not to run alone")
    void lostClaim() throws Exception {
        enqueue(3);
        TestNode node = fixture.node();
        List<Job> lost = node.claim("work", 3);
        assertEquals(0, node.rescue(), "it may just be being made");
        fixture.execute("update sluice.claim_1 set claimed_at = claimed_at - interval '10 s'");
        assertEquals(0, node.rescue(lost.get(0).lease()), "it is known");

        assertEquals(3, node.rescue(1L));

        assertEquals(
                "3 0 f 0",
                fixture.query("select concat_ws(' ', count(*), sum(attempt), bool_or(alone), count(lease))"
                        + " from sluice.job"));
        assertEquals("0", fixture.query("select count(*) from sluice.claim"));
        assertEquals(ids(lost), ids(node.claim("work", 10)), "in their order");
    }

    @Test
    @DisplayName("An engine delivers the jobs of its own claim whose answer was lost, and forgets no job that runs")
    void lostClaimOfEngine() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Engine engine = fixture.engine();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("long", "entry"), PATIENT, delivery -> {
            if (delivery.job().kind().equals("long")) {
                release.await();
            }
        });
        fixture.await("2", "select max_attempts - 1 from sluice.queue");
        fixture.execute("select sluice.enqueue('work', 'long')");
        QueueFixture.await(() -> !handlers.seen.isEmpty(), () -> "not claimed");
        fixture.execute("select sluice.define_queue('other')");
        fixture.execute("select sluice.enqueue('other', 'entry') from generate_series(1, 3)");
        Claim claim = new Claim(
                fixture.node().connection(), fixture.schema(), engine.status().node(), new Epochs());
        assertEquals(
                3,
                claim.claim("other", 3, Kinds.EVERY, new TestNode.FirstEpoch()).size());

        fixture.execute("update sluice.claim_1 set claimed_at = claimed_at - interval '10 s'");

        fixture.await("3", "select count(*) from sluice.job where queue = 'other' and lease is null");
        assertEquals("1", fixture.query("select count(*) from sluice.job where kind = 'long' and lease is not null"));
        release.countDown();
        fixture.await("0", "select count(*) from sluice.job where kind = 'long'");
        assertEquals(1, handlers.seen.size());
    }

    @Test
    @DisplayName("A node that stops is signed off at once")
    void signOff() throws Exception {
        Engine engine = fixture.engine();
        assertEquals("1", fixture.query("select count(*) from sluice.node"));
        engine.stop(Duration.ofSeconds(10));
        assertEquals("0", fixture.query("select count(*) from sluice.node"));
    }

    @Test
    @DisplayName("What a node leaves that signed off is rescued without waiting for a timeout")
    void signedOff() throws Exception {
        enqueue(2);
        TestNode node = fixture.node();
        node.claim("work", 2);
        TestNode rescuer = fixture.node();
        assertEquals(0, rescuer.rescue());
        node.row().leave();
        assertEquals(2, rescuer.rescue());
    }

    @Test
    @DisplayName("A node that was removed goes on under a new number, with the jobs that come")
    void removedNode() throws Exception {
        Engine engine = fixture.engine();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, delivery -> {});
        long old = engine.status().node();
        fixture.execute("delete from sluice.node");
        QueueFixture.await(
                () -> engine.status().node() != old && engine.status().node() != 0, () -> "still " + engine.status());
        assertEquals(String.valueOf(engine.status().node()), fixture.query("select id from sluice.node"));
        enqueue(5);
        fixture.await("0", "select count(*) from sluice.job");
        assertEquals(5, handlers.seen.size());
    }

    @Test
    @DisplayName("A node that has just connected rescues nobody before all had the time to be heard again")
    void outage() throws Exception {
        enqueue(1);
        TestNode silent = fixture.node();
        silent.claim("work", 1);
        silent.die();
        long begun = System.nanoTime();
        fixture.engine(Map.of(Setting.NODE_TIMEOUT, "2000"));
        fixture.await("0", "select count(*) from sluice.claim");
        assertTrue(System.nanoTime() - begun >= Duration.ofMillis(2_000).toNanos(), "rescued at once");
    }

    @Test
    @DisplayName("Nodes gone for ten timeouts are removed, but not while a claim or a permit names them")
    void oldNodes() throws Exception {
        enqueue(1);
        TestNode rescuer = fixture.node();
        TestNode idle = fixture.node();
        TestNode holder = fixture.node();
        fixture.execute("insert into sluice.permit (budget, node, holder) values ('b', " + holder.id() + ", 'h')");
        fixture.execute("update sluice.node set seen_at = seen_at - interval '9 min' where id <> " + rescuer.id());
        rescuer.rescue();
        assertEquals("3", fixture.query("select count(*) from sluice.node"));
        fixture.execute("update sluice.node set seen_at = seen_at - interval '2 min' where id <> " + rescuer.id());
        rescuer.rescue();
        assertNull(fixture.query("select 1 from sluice.node where id = " + idle.id()));
        assertEquals("1", fixture.query("select 1 from sluice.node where id = " + holder.id()));
    }

    @Test
    @DisplayName("Each node is taken for dead after its own timeout")
    void ownTimeouts() throws Exception {
        enqueue(2);
        TestNode quick = fixture.node(Duration.ofSeconds(1));
        TestNode slow = fixture.node(Duration.ofHours(1));
        long first = quick.claim("work", 1).get(0).id();
        slow.claim("work", 1);
        quick.die();
        slow.die();
        TestNode rescuer = fixture.node();
        assertEquals(1, rescuer.rescue());
        assertEquals(first, rescuer.claimAlone("work").id());
    }

    @Test
    @DisplayName("Several rescuers at once free each job once")
    void rescuersAtOnce() throws Exception {
        enqueue(200);
        for (int i = 0; i < 20; i++) {
            TestNode dead = fixture.node();
            assertEquals(10, dead.claim("work", 10).size());
            dead.die();
        }
        List<TestNode> rescuers = List.of(fixture.node(), fixture.node(), fixture.node(), fixture.node());
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<Long>> rescues = new ArrayList<>();
        for (TestNode rescuer : rescuers) {
            rescues.add(CompletableFuture.supplyAsync(() -> {
                try {
                    start.await();
                    return rescuer.rescue();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        start.countDown();
        long freed = 0;
        for (CompletableFuture<Long> rescue : rescues) {
            freed += rescue.get(30, TimeUnit.SECONDS);
        }
        assertEquals(200, freed);
        assertEquals(
                "200 200 0",
                fixture.query("select concat_ws(' ', count(*), count(distinct id), count(lease)) from sluice.job"));
    }

    @Test
    @DisplayName("Jobs whose queue has no row any more are not lost in a rescue")
    void removedQueue() throws Exception {
        enqueue(2);
        TestNode dead = fixture.node();
        dead.claim("work", 2);
        dead.die();
        fixture.execute("delete from sluice.queue");
        fixture.node().rescue();
        assertEquals("2", fixture.query("select count(*) from sluice.job"));
    }
}
