package dev.sluice.bench.queue;

import static dev.sluice.bench.TestPostgres.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.bench.TestSite;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.load.PlannedJob;
import dev.sluice.bench.measure.LedgerCheck;
import dev.sluice.bench.measure.StatementMeasure;
import dev.sluice.bench.option.ClaimMode;
import dev.sluice.bench.site.Database;
import dev.sluice.bench.site.Site;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A queue that is measured")
class TestedQueueTest {

    private static final int JOBS = 200;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Site site;
    private Database database;
    private Connection connection;

    @BeforeEach
    void layOut() throws Exception {
        site = TestSite.open();
        database = site.database();
        connection = database.connect(Database.QUEUE);
    }

    @AfterEach
    void drop() throws Exception {
        connection.close();
        site.close();
    }

    @ParameterizedTest
    @DisplayName("does each job once, and its claims are known")
    @CsvSource({"SLUICE, LEASED", "SLUICE, TRANSACTIONAL", "PLAIN, LEASED", "QUE, LEASED"})
    void eachOnce(QueueChoice choice, ClaimMode mode) throws Exception {
        TestedQueue queue = choice.queue();
        NodePlan plan = new NodePlan(
                database.url(Database.QUEUE),
                database.user(),
                database.password(),
                choice,
                List.of("a", "b"),
                mode,
                4,
                10,
                1);
        StatementMeasure statements = new StatementMeasure(connection);
        queue.create(connection);
        try (QueueNode node = queue.start(plan)) {
            enqueue(queue, plan);
            awaitEntries(2 * JOBS);
            awaitProgress(node);
        }
        for (String name : plan.queues()) {
            assertEquals(new LedgerCheck.Finding(0, 0, 0), new LedgerCheck(connection).of(name, JOBS));
        }
        assertEquals(
                "0",
                query(
                        connection,
                        "select count(*) from " + queue.schema() + (choice == QueueChoice.SLUICE ? ".job_1" : ".job")));
        assertTrue(statements.matching(queue.claims()).calls() > 0);
    }

    private void enqueue(TestedQueue queue, NodePlan plan) throws Exception {
        Payloads payloads = new Payloads(100, 1);
        for (String name : plan.queues()) {
            for (int number = 1; number <= JOBS; number++) {
                PlannedJob job =
                        new PlannedJob(name, number, 2, 0, number % 20 == 0 && queue instanceof SluiceQueue, 0);
                queue.enqueue(connection, job, plan.kind(), payloads.of(job));
            }
        }
    }

    /** Jobs are counted a moment after their transaction. */
    private static void awaitProgress(QueueNode node) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (node.progress().delivered() < 2 * JOBS) {
            assertTrue(System.nanoTime() < deadline, node.progress().toString());
        }
        assertEquals(2 * JOBS, node.progress().delivered());
        assertTrue(node.progress().claims() > 0);
    }

    private void awaitEntries(int entries) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (Integer.parseInt(query(connection, "select count(*) from bench.ledger")) < entries) {
            if (System.nanoTime() > deadline) {
                fail("not done in time: " + query(connection, "select count(*) from bench.ledger"));
            }
        }
    }
}
