package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.database.Setting;
import dev.sluice.engine.queue.RetryPolicy;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine that cannot deliver says of it, and that it goes on by itself when that is put right. */
@Timeout(60)
class ProblemTest {

    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private Engine awaitProblem(Map<Setting, String> settings, String... parts) throws InterruptedException {
        Engine engine = fixture.idleEngine(settings);
        engine.start();
        for (String part : parts) {
            QueueFixture.await(
                    () -> String.valueOf(engine.status().problem()).contains(part),
                    () -> engine.status().problem());
        }
        return engine;
    }

    @Test
    @DisplayName("A database that does not exist is named, with the remedy")
    void noDatabase() throws Exception {
        awaitProblem(
                Map.of(Setting.URL, QueueFixture.postgres().jdbcUrl("none")),
                "database \"none\" does not exist",
                "Create the database",
                "SLUICE_URL");
    }

    @Test
    @DisplayName("A role that does not exist is named, with the remedy")
    void noRole() throws Exception {
        awaitProblem(Map.of(Setting.USER, "nobody"), "role \"nobody\" does not exist", "SLUICE_USER");
    }

    @Test
    @DisplayName("A server that does not answer is named, with the remedy")
    void noServer() throws Exception {
        awaitProblem(
                Map.of(Setting.URL, "jdbc:postgresql://127.0.0.1:1/none"),
                "127.0.0.1:1 refused",
                "Check that PostgreSQL runs there",
                "SLUICE_URL");
    }

    @Test
    @DisplayName(
            "A database that takes no writes is a problem that says so; once it takes them, delivery begins by itself")
    void readOnly() throws Exception {
        fixture.execute("alter database " + fixture.databaseName() + " set default_transaction_read_only = on");
        Engine engine = awaitProblem(Map.of(), "The server takes no writes", "default_transaction_read_only");
        Handlers handlers =
                fixture.subscribe(engine, "work", Set.of("entry"), new RetryPolicy(null, null, null), delivery -> {});

        fixture.execute("alter database " + fixture.databaseName() + " reset default_transaction_read_only");

        QueueFixture.awaitReady(engine);
        fixture.await("1", "select count(*) from sluice.queue");
        fixture.execute("select sluice.enqueue('work', 'entry')");
        QueueFixture.await(
                () -> handlers.settled.get() == 1, () -> engine.status().toString());
    }

    @Test
    @DisplayName("Rights that are taken away while it runs are named, and it goes on when they are given back")
    void rightsTakenAway() throws Exception {
        fixture.execute("drop role if exists problem_test");
        fixture.execute("create role problem_test login");
        try {
            fixture.execute("grant usage on schema sluice to problem_test");
            fixture.execute("grant all on all tables in schema sluice to problem_test");
            fixture.execute("grant usage, select, update on all sequences in schema sluice to problem_test");
            Engine engine = fixture.engine(Map.of(Setting.USER, "problem_test", Setting.MIGRATE, "false"));
            fixture.subscribe(engine, "work", Set.of("entry"), new RetryPolicy(null, null, null), delivery -> {});
            fixture.await("1", "select count(*) from sluice.queue");

            fixture.execute("revoke all on sluice.job_1 from problem_test");
            QueueFixture.await(
                    () -> String.valueOf(engine.status().problem()).contains("permission denied for table job_1"),
                    () -> engine.status().problem());
            assertTrue(
                    engine.status().problem().contains("roles.sql"),
                    engine.status().problem());

            fixture.execute("grant all on sluice.job_1 to problem_test");
            QueueFixture.awaitReady(engine);
            fixture.execute("select sluice.enqueue('work', 'entry')");
            fixture.await("0", "select count(*) from sluice.job");
            engine.stop(QueueFixture.PATIENCE);
            assertEquals("the adapter is stopped", engine.status().problem());
        } finally {
            fixture.await("0", "select count(*) from pg_stat_activity where usename = 'problem_test'");
            fixture.execute("drop owned by problem_test");
            fixture.execute("drop role problem_test");
        }
    }
}
