package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.enqueue;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.JobQueue;
import dev.sluice.api.JobRefusedException;
import dev.sluice.api.NewJob;
import dev.sluice.it.app.Entry;
import jakarta.transaction.RollbackException;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

@ExtendWith(ArquillianExtension.class)
@DisplayName("Bad input")
class BadInputIT {

    private static final int CAP = 1_048_576;

    private JobQueue jobs;
    private long last;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(BadInputIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
        jobs = Inside.jobs();
        last = WORK.number("select last_value from sluice.job_id");
    }

    /** Whatever was refused is not there, and the queue goes on. */
    @AfterEach
    void goesOn() throws Exception {
        awaitEnd(jobs.enqueue("work", "enter", new Entry(1, "goes on")));
    }

    @Test
    @DisplayName("An unknown queue is refused with the queues that there are and how to make one")
    void unknownQueue() {
        refused(
                () -> jobs.enqueue("nowhere", "enter", null),
                "there is no queue \"nowhere\"",
                "Queues: ",
                "echo",
                "work",
                "sluice.define_queue('nowhere')");
        refusedBySql(
                "select sluice.enqueue('nowhere', 'enter', '1')",
                "there is no queue \"nowhere\"",
                "Queues: ",
                "sluice.define_queue('nowhere')");
        refusedBySql("select sluice.enqueue_many('nowhere', 'enter', '{1,2}')", "there is no queue \"nowhere\"");
        refusedBySql("select sluice.enqueue(null, 'enter', '1')", "queue");
        nothingEnqueued();
    }

    @Test
    @DisplayName("A payload that is not JSON is refused where it is enqueued, with the place of the mistake")
    void notJson() {
        refused(
                () -> jobs.enqueue("work", "enter", new NewJob.Json("{number: 1}")),
                "invalid input syntax for type json",
                "number",
                "enter");
        refused(() -> jobs.enqueue("work", "enter", new NewJob.Json("")), "invalid input syntax for type json");
        refused(
                () -> jobs.enqueue(List.of(
                        NewJob.of("work", "enter", new Entry(1, "good")),
                        NewJob.of("work", "enter", new NewJob.Json("[1")))),
                "invalid input syntax for type json",
                "enter");
        refusedBySql("select sluice.enqueue('work', 'enter', '[1')", "invalid input syntax for type json");
        nothingEnqueued();
    }

    @Test
    @DisplayName("A payload that JSON-B cannot write is refused with its class")
    void notWritable() {
        refused(
                () -> jobs.enqueue("work", "enter", new Unwritable()),
                "cannot be written as JSON",
                "enter",
                Unwritable.class.getName());
        nothingEnqueued();
    }

    /** A payload that fails while it is read. */
    public static final class Unwritable {
        public String getText() {
            throw new IllegalStateException("no text");
        }
    }

    @Test
    @DisplayName(
            "A payload that the handler's type does not fit fails its attempts, the error names both, others flow on")
    void notMapping() throws Exception {
        List<Long> bad = jobs.enqueue(List.of(
                NewJob.of("work", "enter", new NewJob.Json("\"a text\"")),
                NewJob.of("work", "enter", new NewJob.Json("{\"number\": \"not a number\"}")),
                NewJob.of("work", "enter", new NewJob.Json("[1, 2]"))));
        List<Long> good = enqueue(50, "work", "enter");

        awaitEnd(good);
        awaitEnd(bad);

        assertAll(
                () -> assertEquals(50, WORK.number("select count(*) from ledger where job = any(?)", good)),
                () -> assertEquals(0, WORK.number("select count(*) from ledger where job = any(?)", bad)),
                () -> assertEquals(
                        3,
                        WORK.number(
                                "select count(*) from sluice.dead_letter where attempt = 3 and id = any(?)"
                                        + " and error like '%the payload does not map to dev.sluice.it.app.Entry: %'"
                                        + " and error like '%Correct the payload, or the type that the handler takes%'",
                                bad)));
    }

    @Test
    @DisplayName("A null payload for a primitive parameter fails its attempts, and the error names the type")
    void nullForPrimitive() throws Exception {
        long id = jobs.enqueue("echo", "primitive", null);
        awaitEnd(id);
        String error = WORK.query("select error from sluice.dead_letter where attempt = 2 and id = ?", id);
        assertTrue(error != null && error.contains("null") && error.contains("int"), error);
    }

    @Test
    @DisplayName("NUL is refused where PostgreSQL cannot store it, with what has it")
    void nul() {
        refused(() -> jobs.enqueue("wo\0rk", "enter", null), "The queue has a NUL character (U+0000)");
        refused(() -> jobs.enqueue("work", "en\0ter", null), "The kind has a NUL character (U+0000)");
        refused(
                () -> jobs.enqueue("work", "enter", new NewJob.Json("\"a\0b\"")),
                "The payload of kind \"enter\" has a NUL character (U+0000), which PostgreSQL cannot store");
        nothingEnqueued();
    }

    @Test
    @DisplayName("NUL within a text of the payload is escaped by JSON, and comes out as it went in")
    void escapedNul() throws Exception {
        // noted with the NUL replaced, since a note is text
        long id = jobs.enqueue("echo", "escapedNul", new Entry(1, "a\0b"));
        awaitEnd(id);
        assertEquals("a<NUL>b", WORK.query("select text from note where job = ?", id));
    }

    @Test
    @DisplayName("Half of a surrogate pair is refused, with what has it")
    void halfPair() {
        refused(
                () -> jobs.enqueue("work", "enter\uD83D", null),
                "The kind has half a surrogate pair, which is not valid text");
        refused(
                () -> jobs.enqueue("work", "enter", new NewJob.Json("\"\uDE00\"")),
                "The payload of kind \"enter\" has half a surrogate pair, which is not valid text");
        nothingEnqueued();
    }

    @Test
    @DisplayName("A record with half of a surrogate pair is refused where it is enqueued, or comes out as it went in")
    void halfPairInRecord() throws Exception {
        long id;
        try {
            id = jobs.enqueue("echo", "halfPair", new Entry(1, "a\uD83Db"));
        } catch (JobRefusedException e) {
            assertTrue(e.getMessage().contains("surrogate"), e.getMessage());
            return;
        }
        awaitEnd(id);
        assertEquals("a<D83D>b", WORK.query("select text from note where job = ?", id));
    }

    @Test
    @DisplayName("An error that cannot be stored as it is does not keep its job from becoming a dead letter")
    void unspeakableError() throws Exception {
        long id = jobs.enqueue("echo", "unspeakable", null);
        awaitEnd(id);
        String error = WORK.query("select error from sluice.dead_letter where attempt = 2 and id = ?", id);
        assertTrue(error != null && error.contains("before NUL") && error.contains("after"), error);
    }

    @Test
    @DisplayName(
            "A payload over the cap is refused with its size, the cap and what to do instead; one of the cap is not")
    void overTheCap() throws Exception {
        refused(
                () -> jobs.enqueue("work", "enter", new NewJob.Json("\"" + "x".repeat(CAP - 1) + "\"")),
                (CAP + 1) + " bytes",
                "cap of " + CAP + " bytes",
                "queue \"work\"",
                "kind \"enter\"",
                "enqueue its key, or raise payload_cap");
        // counted in bytes, not in characters
        refused(
                () -> jobs.enqueue("work", "enter", new NewJob.Json("\"" + "ä".repeat(CAP / 2) + "\"")),
                CAP + 2 + " bytes");
        refusedBySql(
                "select sluice.enqueue('work', 'enter', '\"' || repeat('x', " + (CAP - 1) + ") || '\"')",
                (CAP + 1) + " bytes");
        nothingEnqueued();

        String most = "x".repeat(CAP - 2);
        long id = jobs.enqueue("echo", "string", new NewJob.Json("\"" + most + "\""));
        awaitEnd(id);
        assertEquals(CAP - 2, WORK.number("select octet_length(text) from note where job = ?", id));
    }

    @Test
    @DisplayName("A delay that is negative or endless is refused before it is a job, and by SQL")
    void delay() {
        NewJob job = NewJob.of("work", "enter", null);
        for (Duration delay : new Duration[] {Duration.ofMillis(-1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            String refusal = assertThrows(IllegalArgumentException.class, () -> job.withDelay(delay))
                    .getMessage();
            assertEquals("The delay of a job is zero to 36525 days, not " + delay + " as for kind \"enter\"", refusal);
        }
        refusedBySql(
                "select sluice.enqueue('work', 'enter', '1', delay => '-1 s')",
                "cannot be negative",
                "enter",
                "-00:00:01");
        refusedBySql("select sluice.enqueue('work', 'enter', '1', delay => null)", "delay", "null");
        nothingEnqueued();
    }

    @Test
    @DisplayName("A priority that is none and a kind that is none are refused by SQL")
    void noPriorityNoKind() {
        refusedBySql("select sluice.enqueue('work', 'enter', '1', 4)", "a priority is 0 (urgent) to 3 (low), not 4");
        refusedBySql("select sluice.enqueue('work', 'enter', '1', null)", "a priority is 0 (urgent) to 3 (low)");
        refusedBySql("select sluice.enqueue('work', '', '1')", "kind of 1 to 200 bytes");
        refusedBySql("select sluice.enqueue('work', null, '1')", "kind of 1 to 200 bytes");
        refused(() -> jobs.enqueue("work", "k".repeat(201), null), "kind of 1 to 200 bytes");
        nothingEnqueued();
    }

    @Test
    @DisplayName("A job that is refused in a transaction lets it only roll back")
    void refusedInTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        long id = jobs.enqueue("work", "enter", new Entry(1, "before"));
        refused(() -> jobs.enqueue("nowhere", "enter", null), "there is no queue");
        assertThrows(RollbackException.class, transaction::commit);
        assertEquals(0, WORK.number("select count(*) from sluice.job where id = ?", id));
    }

    @Test
    @DisplayName("A kind without a handler is put back uncounted, others flow on, and the log says so once")
    void kindWithoutHandler() throws Exception {
        List<Long> unknown = enqueue(30, "work", "nobody's");
        List<Long> good = enqueue(50, "work", "enter");

        awaitEnd(good);
        WORK.await(
                "30",
                "select count(*) from sluice.scheduled where attempt = 0 and error is null and run_at > clock_timestamp()"
                        + " and id = any(?)",
                unknown);

        try {
            // again and again, and never counted
            WORK.execute("update sluice.scheduled_1 set run_at = clock_timestamp() where id = any(?)", unknown);
            WORK.await(
                    "0",
                    "select count(*) from sluice.scheduled where run_at <= clock_timestamp() and id = any(?)",
                    unknown);
            WORK.await("30", "select count(*) from sluice.scheduled where attempt = 0 and id = any(?)", unknown);
            assertAll(
                    () -> assertEquals(50, WORK.number("select count(*) from ledger where job = any(?)", good)),
                    () -> assertEquals(
                            0, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", unknown)));
            List<String> said = log("\"nobody's\"");
            // once a minute
            assertTrue(said.size() >= 1 && said.size() <= 3, said.toString());
            assertTrue(
                    said.get(0).contains("Queue work has jobs of kind")
                            && said.get(0).contains("no @OnJob(\"nobody's\") method"),
                    said.get(0));
        } finally {
            WORK.execute("delete from sluice.scheduled_1 where id = any(?)", unknown);
        }
    }

    private static List<String> log(String text) throws IOException {
        return Files.readAllLines(Path.of(System.getenv("LOG_DIR"), "messages.log")).stream()
                .filter(line -> line.contains(text))
                .toList();
    }

    private static void refused(Executable enqueue, String... parts) {
        String message = assertThrows(JobRefusedException.class, enqueue).getMessage();
        for (String part : parts) {
            assertTrue(message.contains(part), "not \"" + part + "\" in: " + message);
        }
    }

    private static void refusedBySql(String sql, String... parts) {
        String message = assertThrows(SQLException.class, () -> WORK.query(sql)).getMessage();
        for (String part : parts) {
            assertTrue(
                    message.toLowerCase(Locale.ROOT).contains(part.toLowerCase(Locale.ROOT)),
                    "not \"" + part + "\" in: " + message);
        }
    }

    private void nothingEnqueued() {
        try {
            assertEquals(
                    0,
                    WORK.number(
                            "select (select count(*) from sluice.job where id > ?)"
                                    + " + (select count(*) from sluice.scheduled where id > ?)"
                                    + " + (select count(*) from sluice.dead_letter where id > ?)",
                            last,
                            last,
                            last));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
