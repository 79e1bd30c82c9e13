package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.api.JobQueue;
import dev.sluice.api.JobRefusedException;
import dev.sluice.api.NewJob;
import dev.sluice.api.Priority;
import dev.sluice.it.app.Entry;
import dev.sluice.it.container.app.Order;
import dev.sluice.it.container.app.Sweeps;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("Enqueueing")
class EnqueueIT {

    private JobQueue jobs;
    private UserTransaction transaction;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(EnqueueIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
        jobs = Inside.jobs();
        transaction = Inside.transaction();
    }

    @Test
    @DisplayName("Jobs of a transaction that rolls back never exist, like the row beside them")
    void rollback() throws Exception {
        transaction.begin();
        List<Long> ids = new ArrayList<>();
        ids.add(jobs.enqueue("echo", "text", new Entry(1, "rolled back")));
        ids.addAll(jobs.enqueue(List.of(
                NewJob.of("echo", "text", new Entry(2, "rolled back")),
                NewJob.of("echo", "text", new Entry(3, "rolled back")).withDelay(Duration.ofHours(1)))));
        noteBeside("beside rolled back");
        transaction.rollback();

        assertAll(
                () -> assertEquals(0, waiting(ids)),
                () -> assertEquals(0, WORK.number("select count(*) from note where job = any(?)", ids)),
                () -> assertEquals(0, WORK.number("select count(*) from note where text = 'beside rolled back'")));
    }

    @Test
    @DisplayName("Jobs of a transaction exist when it commits, like the row beside them, and not before")
    void commit() throws Exception {
        transaction.begin();
        List<Long> ids = jobs.enqueue(List.of(
                NewJob.of("echo", "text", new Entry(1, "committed")),
                NewJob.of("echo", "text", new Entry(2, "committed"))));
        noteBeside("beside committed");
        assertEquals(0, waiting(ids));
        transaction.commit();

        awaitEnd(ids);
        assertAll(
                () -> assertEquals(
                        2, WORK.number("select count(*) from note where text = 'committed' and job = any(?)", ids)),
                () -> assertEquals(1, WORK.number("select count(*) from note where text = 'beside committed'")));
    }

    private static long waiting(List<Long> ids) throws SQLException {
        return WORK.number(
                "select (select count(*) from sluice.job where id = any(?))"
                        + " + (select count(*) from sluice.scheduled where id = any(?))",
                ids,
                ids);
    }

    private static void noteBeside(String text) throws SQLException {
        try (Connection connection = Inside.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into note (text) values ('" + text + "')");
        }
    }

    @Test
    @DisplayName("A program's SQL through sluice/ds enqueues in the same transaction")
    void sql() throws Exception {
        transaction.begin();
        long id;
        try (Connection connection = Inside.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select sluice.enqueue('echo', 'string', '\"by SQL\"')")) {
            row.next();
            id = row.getLong(1);
        }
        transaction.commit();

        awaitEnd(id);
        assertEquals("by SQL", noted(id));
    }

    @Test
    @DisplayName("Commit wakes this server's handlers: they do not wait until an idle queue is looked at")
    void wakesAfterCommit() throws Exception {
        awaitStartBeforeNextSweep(() -> {
            transaction.begin();
            long id = jobs.enqueue("echo", "sweeps", null);
            transaction.commit();
            return id;
        });
    }

    @Test
    @DisplayName("Without a transaction handlers are woken too")
    void wakesWithoutTransaction() throws Exception {
        awaitStartBeforeNextSweep(() -> jobs.enqueue("echo", "sweeps", null));
    }

    /** A sweep may come in between by chance, but not every time; without a wake-up nothing starts before one. */
    private static void awaitStartBeforeNextSweep(Callable<Long> enqueue) throws Exception {
        for (int i = 0; i < 10; i++) {
            awaitIdle();
            long before = sweeps();
            long id = enqueue.call();
            awaitEnd(id);
            if (noted(id).equals(String.valueOf(before))) {
                return;
            }
        }
        fail("10 of 10 jobs started after a sweep");
    }

    /** Waits until nothing but the sweep looks for jobs: two sweeps without a claim. */
    private static void awaitIdle() throws Exception {
        String claims = "select sum(calls) from pg_stat_statements where query like '%with finished as (%'";
        String before;
        do {
            before = WORK.query(claims);
            long until = sweeps() + 2;
            WORK.await("true", "select (" + Sweeps.COUNT + ") >= ?", until);
        } while (!before.equals(WORK.query(claims)));
    }

    private static long sweeps() throws SQLException {
        return WORK.number(Sweeps.COUNT);
    }

    @Test
    @DisplayName("Many jobs of several queues and kinds keep their order, and each its payload")
    void many() throws Exception {
        List<NewJob> list = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            list.add(
                    switch (i % 7) {
                        case 0 -> NewJob.of("work", "enter", new Entry(i, "work"));
                        case 1, 2, 3 -> NewJob.of("echo", "number", new Entry(i, "number"));
                        default -> NewJob.of("echo", "text", new Entry(i, String.valueOf(i)));
                    });
        }

        List<Long> ids = jobs.enqueue(list);

        assertEquals(200, ids.size());
        assertEquals(ids.stream().sorted().distinct().toList(), ids);
        awaitEnd(ids);
        List<String> expected = new ArrayList<>();
        List<String> actual = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            boolean work = list.get(i).queue().equals("work");
            expected.add(work ? "in the ledger" : String.valueOf(i));
            actual.add(
                    work
                            ? WORK.query("select 'in the ledger' from ledger where job = ?", ids.get(i))
                            : noted(ids.get(i)));
        }
        assertEquals(expected, actual);
    }

    @Test
    @DisplayName("An empty list is nothing to do")
    void none() {
        assertEquals(List.of(), jobs.enqueue(List.of()));
    }

    @Test
    @DisplayName("Without a transaction a list of jobs is enqueued whole or not at all")
    void allOrNothing() throws Exception {
        List<NewJob> list = List.of(
                NewJob.of("echo", "text", new Entry(1, "not at all")),
                NewJob.of("echo", "number", new Entry(1, "not at all")),
                NewJob.of("no such queue", "text", null));

        assertThrows(JobRefusedException.class, () -> jobs.enqueue(list));

        // whatever had been committed would be gone through the queue when this one is
        awaitEnd(jobs.enqueue("echo", "text", new Entry(1, "after it")));
        assertAll(
                () -> assertEquals(0, WORK.number("select count(*) from note where text = 'not at all'")),
                () -> assertEquals(
                        0, WORK.number("select count(*) from sluice.job where payload::text like '%not at all%'")));
    }

    @Test
    @DisplayName("A delayed job does not run before its time, and runs after it")
    void delay() throws Exception {
        String before = WORK.query("select clock_timestamp()::text");
        long soon = jobs.enqueue(NewJob.of("echo", "context", null).withDelay(Duration.ofMillis(300)));
        long late = jobs.enqueue(NewJob.of("echo", "context", null).withDelay(Duration.ofHours(1)));

        awaitEnd(soon);

        assertAll(
                () -> assertEquals(
                        "true",
                        WORK.query(
                                "select at >= ?::timestamptz + interval '300 ms' from note where job = ?",
                                before,
                                soon)),
                () -> assertEquals(
                        "true",
                        WORK.query(
                                "select run_at - enqueued_at between '1 h' and '1 h 1 s'"
                                        + " from sluice.scheduled where id = ?",
                                late)));
        WORK.execute("update sluice.scheduled_1 set run_at = clock_timestamp() where id = ?", late);
        awaitEnd(late);
        assertTrue(noted(late).startsWith("echo context 1 "), noted(late));
    }

    @Test
    @DisplayName("Urgent jobs are claimed before all others that wait, also those that came earlier")
    void priority() throws Exception {
        List<NewJob> list = new ArrayList<>();
        for (Priority priority : new Priority[] {Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.URGENT}) {
            for (int i = 0; i < 40; i++) {
                list.add(
                        NewJob.of("echo", "text", new Entry(i, priority.name())).withPriority(priority));
            }
        }

        List<Long> ids = jobs.enqueue(list);
        awaitEnd(ids);

        // of those claimed earlier at most all but one thread's may still be on their way to their note
        String earlier = "select count(*) from note where text = ? and job = any(?)"
                + " and id < (select min(id) from note where text = ? and job = any(?))";
        assertAll(
                () -> assertTrue(WORK.number(earlier, "URGENT", ids, "HIGH", ids) >= 25, "urgent before high"),
                () -> assertTrue(WORK.number(earlier, "HIGH", ids, "NORMAL", ids) >= 25, "high before normal"),
                () -> assertTrue(WORK.number(earlier, "NORMAL", ids, "LOW", ids) >= 25, "normal before low"));
    }

    @Test
    @DisplayName("A record with nested records, lists and maps comes out as it went in")
    void recordPayload() throws Exception {
        assertEquals("equal", echo("order", Order.SAMPLE));
    }

    @Test
    @DisplayName("A list and a map of records come out with elements of their type")
    void genericPayloads() throws Exception {
        Map<String, Entry> map = new LinkedHashMap<>();
        map.put("one", new Entry(1, "first"));
        map.put("two", new Entry(2, "second"));
        assertAll(
                () -> assertEquals("3 entries, 6", echo("list", Arrays.asList(entry(1), entry(2), entry(3)))),
                () -> assertEquals("3 entries, 6", echo("list", new Entry[] {entry(1), entry(2), entry(3)})),
                () -> assertEquals("0 entries, 0", echo("list", List.of())),
                () -> assertEquals("firstsecond", echo("map", map)));
    }

    private static Entry entry(int number) {
        return new Entry(number, "entry");
    }

    @Test
    @DisplayName("Text comes out as it went in, whatever characters it has, NUL included")
    void textPayload() throws Exception {
        String text = "Zoë 漢字 😀 \" \\ / \b \f \n \r \t \u0001 \u007f \u2028 end";
        assertAll(
                () -> assertEquals(text, echo("string", text)),
                () -> assertEquals("", echo("string", "")),
                () -> assertEquals(text, echo("text", new Entry(1, text))));
    }

    @Test
    @DisplayName("JSON text is enqueued byte for byte")
    void jsonPayload() throws Exception {
        String json = " {\"text\" :  \"by hand\", \"number\":7, \"number\":8 }";
        transaction.begin();
        long id = jobs.enqueue("echo", "text", new NewJob.Json(json));
        try (Connection connection = Inside.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select payload from sluice.job where id = " + id)) {
            row.next();
            assertEquals(json, row.getString(1));
        }
        transaction.commit();

        awaitEnd(id);
        assertEquals("by hand", noted(id));
    }

    @Test
    @DisplayName("A null payload is given as null")
    void nullPayload() throws Exception {
        assertAll(
                () -> assertEquals("null", echo("null", null)),
                () -> assertEquals("null", echo("null", new NewJob.Json("null"))),
                () -> assertEquals("null", echo("null", new NewJob.Json(" null "))));
    }

    @Test
    @DisplayName("A handler without parameters is given none, whatever the payload")
    void noParameter() throws Exception {
        long before = WORK.number("select count(*) from note where text = 'none'");
        awaitEnd(jobs.enqueue("echo", "none", entry(1)));
        awaitEnd(jobs.enqueue("echo", "none", null));
        assertEquals(before + 2, WORK.number("select count(*) from note where text = 'none'"));
    }

    @Test
    @DisplayName("A handler sees the queue, the kind, the attempt and the time of its job")
    void context() throws Exception {
        String before = WORK.query("select clock_timestamp()::text");
        String[] seen = echo("context", null).split(" ");
        assertEquals(List.of("echo", "context", "1"), List.of(seen).subList(0, 3));
        assertEquals(
                "true",
                WORK.query("select ?::timestamptz between ?::timestamptz and clock_timestamp()", seen[3], before));
    }

    @Test
    @DisplayName("A job that a handler enqueues rides the handler's transaction: one for the attempt that commits")
    void followUp() throws Exception {
        List<Long> ids = Inside.enqueue(20, "transaction", "followUp");
        awaitEnd(ids);
        String followUps = "select count(*) from note where text in"
                + " (select 'follow-up of ' || id from unnest(?::bigint[]) id)";
        WORK.await("20", followUps, ids);
        assertAll(
                () -> assertEquals(
                        20,
                        WORK.number(followUps.replace("count(*)", "count(distinct text)"), ids),
                        "jobs with a follow-up"),
                () -> assertEquals(
                        0,
                        WORK.number("select count(*) from sluice.job where payload::text like '%follow-up%'"),
                        "follow-ups that still wait"));
    }

    /** What the handler of this kind notes of this payload. */
    private String echo(String kind, Object payload) throws Exception {
        long id = jobs.enqueue("echo", kind, payload);
        awaitEnd(id);
        return noted(id);
    }

    /** The note of a job, or why there is none. */
    private static String noted(long id) throws SQLException {
        return WORK.query(
                "select text from note where job = ? union all select error from sluice.dead_letter where id = ?",
                id,
                id);
    }
}
