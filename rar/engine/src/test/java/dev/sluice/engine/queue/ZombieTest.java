package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that were taken for dead, or gave a job back, and go on. */
@Timeout(60)
class ZombieTest {

    private static final RetryPolicy PATIENT = new RetryPolicy(3, Duration.ofMillis(1), Duration.ofMillis(1));

    private static final String ALL_ROWS = """
            select concat_ws('|',
              (select string_agg(j::text, ';' order by id) from sluice.job j),
              (select string_agg(s::text, ';' order by id) from sluice.scheduled s),
              (select string_agg(d::text, ';' order by id) from sluice.dead_letter d),
              (select string_agg(c::text, ';' order by lease) from sluice.claim c))
            """;

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

    @Test
    @DisplayName(
            "Sessions in which handlers of a dead node work are ended, so that what they hold is free; no others are")
    void sessions() throws Exception {
        enqueue(2);
        TestNode frozen = fixture.node();
        TestNode living = fixture.node();
        TestNode rescuer = fixture.node();
        try (Connection ofFrozen = delivery(frozen);
                Connection ofLiving = delivery(living)) {
            Take take = new Take(fixture.schema());
            assertEquals(
                    1, take.take(ofFrozen, new Epochs(), "work", Kinds.EVERY, 1).size());
            assertEquals(
                    1, take.take(ofLiving, new Epochs(), "work", Kinds.EVERY, 1).size());
            frozen.die();
            rescuer.rescue();
            fixture.await(
                    "sluice delivery " + living.id(),
                    "select string_agg(application_name, ', ') from pg_stat_activity"
                            + " where datname = current_database() and application_name like 'sluice delivery %'");
            ofLiving.commit();
            fixture.await("1 0", "select count(*) || ' ' || count(lease) from sluice.job");
        }
    }

    private Connection delivery(TestNode node) throws SQLException {
        Connection connection = fixture.database().open("delivery " + node.id());
        connection.setAutoCommit(false);
        return connection;
    }

    @Test
    @DisplayName("What a zombie says of its jobs after their rescue changes nothing")
    void zombie() throws Exception {
        enqueue(2);
        TestNode zombie = fixture.node();
        List<Job> jobs = zombie.claim("work", 2);
        zombie.die();
        fixture.node().rescue();

        for (boolean claimedAgain : new boolean[] {false, true}) {
            if (claimedAgain) {
                assertEquals(jobs.get(0).id(), fixture.node().claimAlone("work").id());
            }
            String before = fixture.query(ALL_ROWS);
            for (Job job : jobs) {
                assertFalse(zombie.acknowledge(job), "acknowledge");
                assertNull(zombie.fail(job, "late"), "fail");
                zombie.release(job);
                zombie.defer(job, Duration.ZERO);
            }
            assertEquals(before, fixture.query(ALL_ROWS));
        }
    }

    @Test
    @DisplayName("What a node says of a job that it gave back, and that another has claimed, changes nothing")
    void afterRelease() throws Exception {
        enqueue(1);
        TestNode first = fixture.node();
        Job job = first.claim("work", 1).get(0);
        first.release(job);
        Job again = fixture.node().claim("work", 1).get(0);
        assertEquals(job.id(), again.id());
        String before = fixture.query(ALL_ROWS);
        assertFalse(first.acknowledge(job), "acknowledge");
        assertNull(first.fail(job, "late"), "fail");
        first.release(job);
        first.defer(job, Duration.ZERO);
        assertEquals(before, fixture.query(ALL_ROWS));
    }

    @Test
    @DisplayName("A handler whose node was taken for dead cannot commit, and its job has one effect")
    void zombieHandler() throws Exception {
        fixture.execute("create table run (job bigint)");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Engine engine = fixture.engine();
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), PATIENT, delivery -> {
            try (Statement statement = delivery.connection().createStatement()) {
                statement.execute("insert into run values (" + delivery.job().id() + ")");
            }
            if (!delivery.job().alone()) {
                begun.countDown();
                release.await();
            }
        });
        fixture.await("1", "select count(*) from sluice.queue");
        enqueue(1);
        begun.await();
        long old = engine.status().node();

        fixture.execute("delete from sluice.node");

        QueueFixture.await(() -> engine.status().node() != old, () -> "the same node");
        fixture.await("1", "select count(*) from run");
        release.countDown();
        QueueFixture.await(() -> handlers.settled.get() == 2, () -> handlers.settled + " settled");
        assertEquals("1", fixture.query("select count(*) from run"));
        fixture.await(
                "0",
                "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"
                        + " + (select count(*) from sluice.dead_letter) + (select count(*) from sluice.claim)");
    }
}
