package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TransitionsTest {

    private QueueFixture fixture;
    private TestNode node;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_queue('work', 3, '10 s', '15 s')");
        node = fixture.node();
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private Job claimed() throws SQLException {
        fixture.execute("select sluice.enqueue('work', 'entry', '{\"a\": 1}', 1)");
        return node.claim("work", 1).get(0);
    }

    @Test
    @DisplayName("A failed job keeps its identity and payload, counts the attempt and waits its backoff with jitter")
    void fail() throws Exception {
        Job job = claimed();
        assertEquals("scheduled", node.fail(job, "why"));
        assertEquals(
                job.id() + " work 1 entry {\"a\": 1} 1 why t",
                fixture.query("select concat_ws(' ', id, queue, priority, kind, payload, attempt, error,"
                        + " run_at - clock_timestamp() between '7 s' and '12.5 s') from sluice.scheduled"));
        assertEquals("0", fixture.query("select count(*) from sluice.job"));
        assertNull(node.fail(job, "twice"), "it is not ours any more");
    }

    @Test
    @DisplayName("The backoff doubles up to its cap, whatever the numbers")
    void backoff() throws Exception {
        String longest = "select max(sluice.backoff('1 s', '1 h', attempt)) %s from generate_series(1, 1000) attempt";
        assertEquals("t", fixture.query(String.format(longest, "<= '75 min'")));
        assertEquals("t", fixture.query("select sluice.backoff('1 s', '1 h', 4) between '6 s' and '10 s'"));
        assertEquals(
                "t", fixture.query("select sluice.backoff('1 s', '1 h', 2147483647) between '45 min' and '75 min'"));
        // the largest that an activation can ask for: backoffMillis is an int
        assertEquals(
                "t",
                fixture.query("select sluice.backoff(2147483647 * interval '1 ms', '1 h', 40)"
                        + " between '45 min' and '75 min'"));
    }

    @Test
    @DisplayName("A job that ran alone and failed without killing its node need not run alone again")
    void aloneIsOver() throws Exception {
        claimed();
        node.die();
        TestNode other = fixture.node();
        other.rescue();
        other.fail(other.claimAlone("work"), "failed");
        assertEquals(
                "f 1",
                fixture.query("select alone || ' ' || attempt from sluice.scheduled")
                        .replace("false", "f"));
    }

    @Test
    @DisplayName("The last failed attempt makes a dead letter with its error")
    void deadLetter() throws Exception {
        fixture.execute("select sluice.define_queue('work', 1)");
        Job job = claimed();
        assertEquals("dead letter", node.fail(job, "why"));
        assertEquals(
                job.id() + " 1 why {\"a\": 1}",
                fixture.query("select concat_ws(' ', id, attempt, error, payload) from sluice.dead_letter"));
    }

    @Test
    @DisplayName("Any text of an error can be kept, cut to 8,000 bytes at a character")
    void errors() throws Exception {
        assertEquals("scheduled", node.fail(claimed(), "nul \0, lone surrogate \ud83d"));
        assertTrue(fixture.query("select error from sluice.scheduled").startsWith("nul \uFFFD, lone surrogate"));
        fixture.execute("delete from sluice.scheduled_1");
        for (String letter : List.of("x", "é", "\u20ac", "\ud83d\ude00")) {
            node.fail(claimed(), "_" + letter.repeat(8_000));
            String kept = fixture.query("delete from sluice.scheduled_1 returning error");
            assertTrue(kept.matches("_(" + letter + ")+ \\.\\.\\."), "cut in a character");
            int bytes = kept.getBytes(StandardCharsets.UTF_8).length;
            assertTrue(bytes > 7_990 && bytes <= 8_004, bytes + " bytes");
        }
    }

    @Test
    @DisplayName("A deferred job keeps its attempts and waits")
    void defer() throws Exception {
        Job job = claimed();
        fixture.execute("update sluice.job_1 set attempt = 2");
        node.defer(job, Duration.ofSeconds(10));
        assertEquals(
                job.id() + " 2 t t",
                fixture.query("select concat_ws(' ', id, attempt, error is null,"
                        + " run_at - clock_timestamp() between '5 s' and '10 s') from sluice.scheduled"));
    }

    @Test
    @DisplayName("A released job is claimed again, behind those that wait: no claim has passed by where it is now")
    void release() throws Exception {
        Job job = claimed();
        node.release(job);
        Job again = node.claim("work", 1).get(0);
        assertEquals(job.id() + " 0", again.id() + " " + again.attempt());
        assertTrue(again.pos() > job.pos());
        assertTrue(job.lease() != again.lease());
    }

    @Test
    @DisplayName("A job whose queue has no row any more is not lost when it fails")
    void removedQueue() throws Exception {
        Job job = claimed();
        fixture.execute("delete from sluice.queue");
        node.fail(job, "why");
        assertEquals(
                "1",
                fixture.query("select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"
                        + " + (select count(*) from sluice.dead_letter)"));
    }

    @Test
    @DisplayName("Whether an acknowledgement was committed is decided by the row, once the server is done with it")
    void acknowledged() throws Exception {
        Transitions transitions = new Transitions(fixture.schema());
        for (boolean commit : new boolean[] {true, false}) {
            Job job = claimed();
            try (Connection working = fixture.connect();
                    Connection asking = fixture.connect()) {
                assertEquals(false, transitions.acknowledged(asking, job), "not tried yet");
                working.setAutoCommit(false);
                assertTrue(transitions.acknowledge(working, List.of(job)));
                CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> {
                    try {
                        return transitions.acknowledged(asking, job);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                fixture.awaitBlocked("sluice:decide");
                if (commit) {
                    working.commit();
                } else {
                    working.rollback();
                }
                assertEquals(commit, answer.get(30, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    @DisplayName("Whether an acknowledgement was committed cannot be told of a claim that the rescue had a hand in")
    void acknowledgedInDoubt() throws Exception {
        Transitions transitions = new Transitions(fixture.schema());
        Job job = claimed();
        try (Connection working = fixture.connect();
                Statement statement = working.createStatement()) {
            working.setAutoCommit(false);
            assertTrue(transitions.acknowledge(working, List.of(job)));
            statement.execute("prepare transaction 'test'");
        }
        node.die();
        TestNode other = fixture.node();
        other.rescue();
        fixture.execute("commit prepared 'test'");
        assertNull(transitions.acknowledged(other.connection(), job));
    }

    @Test
    @DisplayName("A dead letter that was put back by hand and dies again is kept once, with its last error")
    void diesAgain() throws Exception {
        fixture.execute("select sluice.define_queue('work', 1)");
        Job job = claimed();
        node.fail(job, "first");
        fixture.execute("insert into sluice.job_1 (queue, priority, id, kind, payload)"
                + " select queue, priority, id, kind, payload from sluice.dead_letter");
        Job again = node.claim("work", 1).get(0);
        assertEquals(job.id(), again.id());
        assertEquals("dead letter", node.fail(again, "second"));
        assertEquals("second", fixture.query("select string_agg(error, ' ') from sluice.dead_letter"));
    }

    @Test
    @DisplayName("Whether an acknowledgement was committed cannot be told once the claim was rescued")
    void acknowledgedAfterRescue() throws Exception {
        Job job = claimed();
        node.die();
        TestNode other = fixture.node();
        other.rescue();
        assertNull(new Transitions(fixture.schema()).acknowledged(other.connection(), job));
    }
}
