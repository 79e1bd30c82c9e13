package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Time limits that an administrator has set for our role: they end handlers, never the node. */
@Timeout(60)
@ParameterizedClass
@EnumSource(ClaimMode.class)
class RoleTimeoutTest {

    private static final RetryPolicy TWICE = new RetryPolicy(2, Duration.ofMillis(50), Duration.ofSeconds(1));

    @Parameter
    private ClaimMode mode;

    private QueueFixture fixture;
    private Engine engine;
    private String role;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.mode = mode;
        role = "limited_" + fixture.databaseName();
        fixture.execute("create role " + role + " superuser login");
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work', 2)");
    }

    private void limit(String setting, String value) throws Exception {
        fixture.execute("alter role " + role + " set " + setting + " = '" + value + "'");
        engine = fixture.engine(Map.of(Setting.USER, role));
    }

    @AfterEach
    void tearDown() throws Exception {
        engine.stop(Duration.ofSeconds(10));
        fixture.execute("drop role " + role);
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({
        "idle_in_transaction_session_timeout, idle-in-transaction timeout",
        "transaction_timeout, transaction timeout"
    })
    @DisplayName(
            "A handler that pauses for longer than the role's transactions may is a dead letter that says so; others run on")
    void pauses(String setting, String reason) throws Exception {
        limit(setting, "300ms");
        fixture.subscribe(engine, "work", Set.of("entry", "pause"), TWICE, delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().kind().equals("pause")) {
                TimeUnit.MILLISECONDS.sleep(600);
            }
        });
        fixture.execute("select sluice.enqueue('work', case i when 5 then 'pause' else 'entry' end)"
                + " from generate_series(1, 10) i");
        fixture.await("5", "select id from sluice.dead_letter where attempt = 2");
        assertTrue(
                fixture.query("select error from sluice.dead_letter").contains(reason),
                "error: " + fixture.query("select error from sluice.dead_letter"));
        fixture.await("9", "select count(*) from ledger");
        assertEquals("9", fixture.query("select count(distinct job) from ledger"));
        assertTrue(engine.status().ready());
    }

    @Test
    @DisplayName("A statement of a handler that takes too long fails its attempt, and none of ours does")
    void slowStatement() throws Exception {
        limit("statement_timeout", "200ms");
        fixture.subscribe(engine, "work", Set.of("entry", "slow"), TWICE, delivery -> {
            QueueFixture.enter(delivery);
            if (delivery.job().kind().equals("slow")) {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute("select pg_sleep(10)");
                }
            }
        });
        fixture.execute("select sluice.enqueue('work', case i when 5 then 'slow' else 'entry' end)"
                + " from generate_series(1, 10) i");
        fixture.await("5", "select id from sluice.dead_letter where attempt = 2 and error ~ 'statement timeout'");
        fixture.await("9", "select count(*) from ledger");
    }

    @Test
    @DisplayName("A handler that waits too long for a lock fails its attempt, and its job runs when the lock is free")
    void lock() throws Exception {
        limit("lock_timeout", "100ms");
        fixture.execute("create table thing (id int primary key, count int)");
        fixture.execute("insert into thing values (1, 0)");
        try (var other = fixture.connect();
                Statement holding = other.createStatement()) {
            other.setAutoCommit(false);
            holding.execute("update thing set count = 1");
            fixture.subscribe(
                    engine, "work", Set.of("entry"), new RetryPolicy(1_000, Duration.ofMillis(10), null), one -> {
                        QueueFixture.enter(one);
                        try (Statement statement = one.connection().createStatement()) {
                            statement.execute("update thing set count = count + 1");
                        }
                    });
            fixture.await("1000", "select max_attempts from sluice.queue");
            fixture.execute("select sluice.enqueue('work', 'entry')");
            fixture.await("t", "select bool_or(attempt > 0) from sluice.scheduled where error ~ 'lock timeout'");
            other.commit();
        }
        fixture.await("1", "select count(*) from ledger");
        assertEquals("2", fixture.query("select count from thing"));
    }
}
