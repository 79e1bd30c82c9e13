package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.delivery.ClaimMode;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.schema.Migrator;
import dev.sluice.launcher.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The roles and grants of server-config, in a PostgreSQL of their own. */
@Timeout(120)
class RolesTest {

    private static PostgresServer server;
    private static QueueFixture fixture;

    @BeforeAll
    static void start() throws Exception {
        server = PostgresVersion.standard().builder().start();
        fixture = new QueueFixture(server);
        fixture.execute("drop schema sluice cascade");
        fixture.execute(config("roles.sql"));
        fixture.execute("create role app login in role sluice_runtime");
        fixture.execute("create role producer login in role sluice_producer");
        new Migrator(new Database(fixture.settings(Map.of(Setting.USER, "sluice_owner")))).migrate();
        fixture.execute(config("grants.sql"));
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterAll
    static void stop() throws Exception {
        fixture.close();
        server.close();
    }

    @BeforeEach
    void begin() throws Exception {
        for (String family : new String[] {"job", "scheduled"}) {
            for (int epoch = 1; epoch <= (family.equals("job") ? 6 : 3); epoch++) {
                fixture.execute("do $$ begin execute 'truncate ' || array_to_string(sluice.epoch_tables('" + family
                        + "', " + epoch + "), ', '); end $$");
            }
        }
        fixture.execute("select setval('sluice.job_epoch', 1), setval('sluice.scheduled_epoch', 1)");
    }

    private static String config(String file) throws Exception {
        return Files.readString(Path.of("../../server-config", file));
    }

    private static void run(String role, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(fixture.url(), role, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    @DisplayName("A producer enqueues into whichever table is current: one job or many, for now or later")
    void enqueues() throws Exception {
        for (int epoch = 1; epoch <= 6; epoch++) {
            fixture.execute("select setval('sluice.job_epoch', " + epoch + ")");
            run("producer", "select sluice.enqueue('work', 'entry')");
            run("producer", "select sluice.enqueue_many('work', 'entry', '{1,2}')");
        }
        for (int epoch = 1; epoch <= 3; epoch++) {
            fixture.execute("select setval('sluice.scheduled_epoch', " + epoch + ")");
            run("producer", "select sluice.enqueue('work', 'entry', delay => '1 h')");
            run("producer", "select sluice.enqueue_many('work', 'entry', '{1,2}', delay => '1 h')");
        }
        assertEquals(
                "3 3 3 3 3 3 and 3 3 3",
                fixture.query("select (select string_agg(n::text, ' ') from"
                        + " (select count(*) as n from sluice.job group by epoch) job) || ' and ' ||"
                        + " (select string_agg(n::text, ' ') from"
                        + " (select count(*) as n from sluice.scheduled group by epoch) scheduled)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from sluice.job",
                "select payload from sluice.job_1",
                "select * from sluice.scheduled",
                "select payload from sluice.scheduled_1",
                "select * from sluice.claim",
                "select * from sluice.dead_letter",
                "delete from sluice.job_1",
                "update sluice.job_1 set priority = 0",
                "truncate sluice.job_1",
                "update sluice.queue set max_attempts = 1",
                "select setval('sluice.job_epoch', 1)",
                "select sluice.define_queue('mine')",
                "select sluice.take_1('work', '{2}', '{0}', null, '{}', 1)",
                "select sluice.rotate('job', 1)",
                "select sluice.empty_epoch('job', 1)",
                "select sluice.hold_rotation('1 h')"
            })
    @DisplayName("A producer can do nothing else")
    void isRefused(String sql) {
        assertEquals(
                "42501",
                assertThrows(SQLException.class, () -> run("producer", sql)).getSQLState());
    }

    @ParameterizedTest
    @EnumSource(ClaimMode.class)
    @DisplayName("A server's role, without the right to create anything, delivers from whichever table is current")
    void delivers(ClaimMode mode) throws Exception {
        fixture.mode = mode;
        Engine engine = fixture.engine(Map.of(Setting.USER, "app", Setting.MIGRATE, "false"));
        try {
            CountDownLatch delivered = new CountDownLatch(3);
            fixture.subscribe(
                    engine,
                    "work",
                    Set.of("entry"),
                    new RetryPolicy(null, null, null),
                    delivery -> delivered.countDown());
            run("producer", "select sluice.enqueue('work', 'entry')");
            run("app", "select sluice.rotate('job', 1), sluice.rotate('scheduled', 1)");
            assertEquals("2", fixture.query("select sluice.current_epoch('job')"));
            run("producer", "select sluice.enqueue('work', 'entry')");
            run("producer", "select sluice.enqueue('work', 'entry', delay => '1 ms')");
            assertTrue(delivered.await(QueueFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS));
            fixture.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.claim)");
        } finally {
            engine.stop(QueueFixture.PATIENCE);
        }
    }

    @Test
    @DisplayName("A server's role empties tables, moves what is left in them, and may be held back from it")
    void turns() throws Exception {
        run("producer", "select sluice.enqueue('work', 'entry')");
        run("producer", "select sluice.enqueue('work', 'entry', delay => '1 h')");
        run("app", "select sluice.rotate('job', 1), sluice.rotate('scheduled', 1)");
        run("app", "select sluice.carry_over(1, 10, false), sluice.carry_over_leased(1, 10)");
        run("app", "select sluice.carry_over_scheduled(1, 10)");
        assertEquals(
                "2 2",
                fixture.query("select max(j.epoch) || ' ' || max(s.epoch) from sluice.job j, sluice.scheduled s"));
        run("app", "select sluice.hold_rotation('1 h')");
        run("app", "select sluice.empty_epoch('job', 1)");
        assertEquals("f", fixture.query("select pg_relation_size('sluice.job_1') = 0"));
        run("app", "select sluice.hold_rotation('0')");
        run("app", "select sluice.empty_epoch('job', 1)");
        run("app", "select sluice.empty_epoch('scheduled', 1)");
        assertEquals(
                "0", fixture.query("select pg_relation_size('sluice.job_1') + pg_relation_size('sluice.scheduled_1')"));
    }
}
