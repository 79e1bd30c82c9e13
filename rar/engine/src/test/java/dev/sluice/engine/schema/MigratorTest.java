package dev.sluice.engine.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.SluiceException;
import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MigratorTest {

    private static final String ROLE = "migrator_test";
    private static final RetryPolicy DEFAULT = new RetryPolicy(null, null, null);

    private QueueFixture fixture;
    private boolean roleCreated;

    @BeforeEach
    void setUp() throws Exception {
        fixture = QueueFixture.withoutSchema();
    }

    @AfterEach
    void tearDown() throws Exception {
        if (roleCreated) {
            fixture.execute("reassign owned by " + ROLE + " to postgres");
            fixture.execute("drop owned by " + ROLE);
            fixture.execute("alter role " + ROLE + " reset all");
        }
        fixture.close();
        if (roleCreated) {
            try (Connection connection = QueueFixture.postgres().connect("postgres");
                    Statement statement = connection.createStatement()) {
                statement.execute("drop role " + ROLE);
            }
        }
    }

    private Migrator migrator(Map<Setting, String> more) {
        return new Migrator(new Database(fixture.settings(more)));
    }

    private Map<Setting, String> role(String... settings) throws SQLException {
        fixture.execute("create role " + ROLE + " login");
        roleCreated = true;
        for (String setting : settings) {
            fixture.execute("alter role " + ROLE + " set " + setting);
        }
        return Map.of(Setting.USER, ROLE);
    }

    private String problem(Map<Setting, String> settings) throws Exception {
        Engine engine = fixture.idleEngine(settings);
        engine.start();
        QueueFixture.await(
                () -> !"starting".equals(engine.status().problem()),
                () -> engine.status().problem());
        return String.valueOf(engine.status().problem());
    }

    @Test
    @DisplayName("Five nodes that start at once on an empty database all succeed, with one schema")
    void atOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(5);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<CompletableFuture<String>> migrations = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                migrations.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                start.await();
                                return migrator(Map.of()).migrate();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        threads));
            }
            start.countDown();
            for (CompletableFuture<String> migration : migrations) {
                assertEquals("3", migration.get(50, TimeUnit.SECONDS));
            }
        } finally {
            threads.shutdownNow();
        }
        String migrations =
                "select string_agg(description, ', ' order by installed_rank) from sluice.migration where success";
        assertEquals(
                "queue and admission, transactions, epochs, 00 enter, 01 enqueue, 02 transitions, 03 admission, 04 recovery, 05 take, 06 sweep, 07 rotation",
                fixture.query(migrations).replaceFirst("<< Flyway (Schema Creation|Baseline) >>, ", ""));
    }

    @Test
    @DisplayName("A second migration changes nothing")
    void again() throws Exception {
        migrator(Map.of()).migrate();
        String before = fixture.query("select string_agg(m::text, ';') from sluice.migration m");
        assertEquals("3", migrator(Map.of()).migrate());
        assertEquals(before, fixture.query("select string_agg(m::text, ';') from sluice.migration m"));
        assertEquals("3", migrator(Map.of()).check());
    }

    @Test
    @DisplayName("A role that owns the schema but may create none in the database migrates it and delivers")
    void noRightToCreate() throws Exception {
        Map<Setting, String> role = role();
        fixture.execute("create schema sluice authorization " + ROLE);
        assertEquals("f", fixture.query("select has_database_privilege('" + ROLE + "', current_database(), 'create')"));
        assertEquals("3", migrator(role).migrate());
        delivers(role, "sluice");
    }

    private void delivers(Map<Setting, String> settings, String schema) throws Exception {
        Engine engine = fixture.engine(settings);
        Handlers handlers = fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, delivery -> {});
        fixture.await("1", "select count(*) from \"" + schema + "\".queue");
        fixture.execute("select \"" + schema + "\".enqueue('work', 'entry', 'null', 2, '1 ms')");
        fixture.execute("select \"" + schema + "\".enqueue_many('work', 'entry', '{1,2}')");
        QueueFixture.await(() -> handlers.settled.get() == 3, () -> handlers.seen.toString());
        fixture.execute("select \"" + schema + "\".define_budget('reports', 1)");
        engine.admission().acquire("reports", "test", QueueFixture.PATIENCE).close();
        fixture.await("0", "select count(*) from \"" + schema + "\".job_1");
        assertEquals(3, handlers.seen.size());
    }

    @Test
    @DisplayName("Without the right to create the schema the problem names the remedy")
    void noRight() throws Exception {
        String problem = problem(role());
        assertTrue(problem.contains("permission denied for database"), problem);
        assertTrue(problem.contains("Grant the right") && problem.contains("roles.sql"), problem);
    }

    @Test
    @DisplayName("Without the right to create tables in the schema the problem names the remedy")
    void noRightInSchema() throws Exception {
        fixture.execute("create schema sluice");
        String problem = problem(role());
        assertTrue(problem.contains("permission denied for schema"), problem);
        assertTrue(problem.contains("Grant the right") && problem.contains("roles.sql"), problem);
    }

    @Test
    @DisplayName("Timeouts and an isolation level that are the role's default disturb neither migration nor delivery")
    void roleDefaults() throws Exception {
        Map<Setting, String> role = role(
                "statement_timeout = '1s'",
                "lock_timeout = '1s'",
                "idle_in_transaction_session_timeout = '1s'",
                "default_transaction_isolation = 'serializable'",
                "search_path = ''");
        fixture.execute("grant create on database " + fixture.databaseName() + " to " + ROLE);
        // a migration that takes its time, between its statements and in one
        fixture.execute("create function slow() returns event_trigger language plpgsql as"
                + " $$ begin perform pg_catalog.pg_sleep(0.1); end $$");
        fixture.execute(
                "create event trigger slow on ddl_command_end when tag in ('CREATE TABLE') execute function slow()");
        assertEquals("3", migrator(role).migrate());
        delivers(role, "sluice");
    }

    @Test
    @DisplayName("A migration outlasts the role's statement timeout")
    void slowMigration() throws Exception {
        Map<Setting, String> role =
                role("statement_timeout = '200ms'", "idle_in_transaction_session_timeout = '200ms'");
        fixture.execute("grant create on database " + fixture.databaseName() + " to " + ROLE);
        fixture.execute("create function slow() returns event_trigger language plpgsql as"
                + " $$ begin perform pg_sleep(0.5); end $$");
        fixture.execute(
                "create event trigger slow on ddl_command_end when tag in ('CREATE SEQUENCE') execute function slow()");
        assertEquals("3", migrator(role).migrate());
    }

    @Test
    @DisplayName("Two schemas of odd names in one database are two queues that know nothing of each other")
    void sideBySide() throws Exception {
        String odd = "Jobs-\u00dcn\u00ef";
        Map<Setting, String> role = new HashMap<>(role("search_path = ''"));
        fixture.execute("grant create on database " + fixture.databaseName() + " to " + ROLE);
        role.put(Setting.SCHEMA, odd);
        Engine one = fixture.engine(role);
        Engine two = fixture.engine(Map.of());
        Handlers inOdd = fixture.subscribe(one, "work", Set.of("entry"), DEFAULT, delivery -> {});
        Handlers inPlain = fixture.subscribe(two, "work", Set.of("entry"), DEFAULT, delivery -> {});
        fixture.await("1", "select count(*) from \"" + odd + "\".queue");
        fixture.await("1", "select count(*) from sluice.queue");
        fixture.execute("select \"" + odd + "\".enqueue('work', 'entry', '\"odd\"') from generate_series(1, 10)");
        fixture.execute("select sluice.enqueue('work', 'entry', '\"plain\"') from generate_series(1, 20)");
        QueueFixture.await(
                () -> inOdd.settled.get() == 10 && inPlain.settled.get() == 20,
                () -> inOdd.seen + " and " + inPlain.seen);
        assertTrue(inOdd.seen.stream().allMatch(job -> job.payload().equals("\"odd\"")));
        assertTrue(inPlain.seen.stream().allMatch(job -> job.payload().equals("\"plain\"")));
        fixture.execute("select \"" + odd + "\".define_budget('reports', 1)");
        fixture.execute("select sluice.define_budget('reports', 1)");
        try (var permit = one.admission().acquire("reports", "odd", QueueFixture.PATIENCE);
                var other = two.admission().acquire("reports", "plain", QueueFixture.PATIENCE)) {
            assertEquals("odd", fixture.query("select holder from \"" + odd + "\".permit"));
        }
        SQLException error = assertThrows(
                SQLException.class, () -> fixture.query("select \"" + odd + "\".enqueue('none', 'entry')"));
        assertTrue(error.getMessage().contains("call \"" + odd + "\".define_queue('none')"), error.getMessage());
    }

    @Test
    @DisplayName("A schema that holds tables of others is used without harm to them")
    void tablesOfOthers() throws Exception {
        fixture.execute("create schema sluice");
        fixture.execute("create table sluice.theirs as select 1");
        assertEquals("3", migrator(Map.of()).migrate());
        assertEquals("1", fixture.query("select count(*) from sluice.theirs"));
        delivers(Map.of(), "sluice");
    }

    @Test
    @DisplayName("With migrate=false and no schema the problem says what to do, and nothing is created")
    void mayNotMigrate() throws Exception {
        Map<Setting, String> settings = Map.of(Setting.MIGRATE, "false");
        SluiceException error =
                assertThrows(SluiceException.class, () -> migrator(settings).check());
        assertTrue(error.getMessage().contains("\"sluice\""), error.getMessage());
        assertTrue(error.getMessage().contains("migrate=true"), error.getMessage());
        String problem = problem(settings);
        assertTrue(problem.contains("migrate=true"), problem);
        assertEquals("0", fixture.query("select count(*) from pg_namespace where nspname = 'sluice'"));
    }

    @Test
    @DisplayName("With migrate=false and a schema that is up to date a role without rights on it but use delivers")
    void runtimeRole() throws Exception {
        migrator(Map.of()).migrate();
        Map<Setting, String> role = new HashMap<>(role());
        role.put(Setting.MIGRATE, "false");
        fixture.execute("grant usage on schema sluice to " + ROLE);
        fixture.execute("grant select, insert, update, delete, truncate on all tables in schema sluice to " + ROLE);
        fixture.execute("grant usage, select, update on all sequences in schema sluice to " + ROLE);
        delivers(role, "sluice");
    }

    @Test
    @DisplayName("With migrate=false and an older schema the problem names the first migration that lacks")
    void olderSchema() throws Exception {
        migrator(Map.of()).migrate();
        fixture.execute("delete from sluice.migration where description like '%admission' and version is null");
        SluiceException error =
                assertThrows(SluiceException.class, () -> migrator(Map.of()).check());
        assertTrue(error.getMessage().contains("lacks 1 migrations"), error.getMessage());
        assertTrue(error.getMessage().contains("\"03 admission\""), error.getMessage());
    }

    @Test
    @DisplayName("A node of an older version starts beside a newer schema and leaves it as it is")
    void newerSchema() throws Exception {
        migrator(Map.of()).migrate();
        fixture.execute("insert into sluice.migration (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success)"
                + " select 100, '99', 'from the future', 'SQL', 'V99__from_the_future.sql', 1, 'postgres', 1, true");
        assertEquals("99", migrator(Map.of()).migrate());
        assertEquals("99", migrator(Map.of()).check());
        delivers(Map.of(), "sluice");
    }

    @Test
    @DisplayName("A node of an older version does not put its older functions over the newer ones")
    void newerFunctions() throws Exception {
        migrator(Map.of()).migrate();
        // as if a newer version, which has a further migration, had replaced the functions
        fixture.execute("insert into sluice.migration (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success)"
                + " select 100, '99', 'from the future', 'SQL', 'V99__from_the_future.sql', 1, 'postgres', 1, true");
        fixture.execute("insert into sluice.migration (installed_rank, version, description, type, script, checksum,"
                + " installed_by, execution_time, success)"
                + " select 101, null, '01 enqueue', 'SQL', 'R__01_enqueue.sql', 42, 'postgres', 1, true");
        fixture.execute("comment on function sluice.enqueue is 'newer'");
        assertEquals("99", migrator(Map.of()).check());
        assertEquals("99", migrator(Map.of()).migrate());
        assertEquals(
                "newer",
                fixture.query(
                        "select obj_description('sluice.enqueue(text,text,text,int,interval)'::regprocedure, 'pg_proc')"));
    }
}
