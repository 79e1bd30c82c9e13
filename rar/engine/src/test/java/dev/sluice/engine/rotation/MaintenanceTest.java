package dev.sluice.engine.rotation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.queue.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real nodes while a snapshot keeps every dead row. */
@Timeout(90)
class MaintenanceTest {

    private static final RetryPolicy DEFAULT = new RetryPolicy(null, null, null);

    private QueueFixture fixture;
    private Connection pin;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.createLedger();
        fixture.execute("select sluice.define_queue('work')");
        pin = snapshot("select count(*) from ledger");
    }

    @AfterEach
    void tearDown() throws Exception {
        pin.close();
        fixture.close();
    }

    private Connection snapshot(String sql) throws SQLException {
        Connection reader = fixture.connect();
        reader.setAutoCommit(false);
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = reader.createStatement()) {
            statement.execute("set application_name = 'the reader'");
            statement.execute(sql);
        }
        return reader;
    }

    /** More dead rows than a table is left with. */
    private void makeDeadJobs(int epoch) throws SQLException {
        fixture.execute("insert into sluice.job_" + epoch + " (queue, priority, id, kind, payload)"
                + " select 'none', 2, 0, 'entry', '1' from generate_series(1, " + (Turns.MOST_DEAD + 1_000) + ")");
        fixture.execute("delete from sluice.job_" + epoch + " where queue = 'none'");
    }

    private void awaitEmptied(String table) throws Exception {
        fixture.await("0", "select pg_relation_size('sluice." + table + "')");
    }

    @Test
    @DisplayName(
            "When dead rows pile up the next table follows, and the old one is emptied, while two nodes handle jobs")
    void turn() throws Exception {
        for (int node = 0; node < 2; node++) {
            Engine engine = fixture.engine();
            fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        }
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 100)");
        makeDeadJobs(1);
        fixture.await("2", "select last_value from sluice.job_epoch");
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 100)");
        fixture.await("200 200", "select count(*) || ' ' || count(distinct job) from ledger");
        awaitEmptied("job_1");
        awaitEmptied("claim_1");
        assertTrue(Integer.parseInt(fixture.query("select pg_relation_size('sluice.job_2')")) > 0);
    }

    @Test
    @DisplayName(
            "What keeps an old table is carried over: a job that runs for long, one that nobody handles, one that is not due")
    void carriedOver() throws Exception {
        Engine engine = fixture.engine();
        CountDownLatch end = new CountDownLatch(1);
        fixture.subscribe(engine, "work", Set.of("long"), DEFAULT, delivery -> {
            QueueFixture.enter(delivery);
            assertTrue(end.await(80, TimeUnit.SECONDS));
        });
        fixture.execute("select sluice.define_queue('nobody')");
        fixture.execute("select sluice.enqueue('work', 'long')");
        fixture.execute("select sluice.enqueue('nobody', 'entry')");
        fixture.execute("select sluice.enqueue('nobody', 'later', '1', 2, '1 hour')");
        fixture.await("1", "select count(*) from sluice.claim");
        fixture.execute("insert into sluice.scheduled_1 (run_at, id, queue, priority, kind, payload)"
                + " select clock_timestamp() + '2 h', i, 'nobody', 2, 'entry', '1' from generate_series(1, "
                + (Turns.MOST_DEAD + 1_000) + ") i");
        fixture.execute("delete from sluice.scheduled_1 where kind = 'entry'");
        makeDeadJobs(1);
        awaitEmptied("job_1");
        awaitEmptied("scheduled_1");
        assertEquals(
                "2 nobody entry, 2 work long",
                fixture.query(
                        "select string_agg(concat_ws(' ', epoch, queue, kind), ', ' order by queue) from sluice.job"));
        assertEquals("2 later", fixture.query("select concat_ws(' ', epoch, kind) from sluice.scheduled"));
        end.countDown();
        fixture.await("1", "select count(*) from ledger");
        fixture.await("0", "select count(*) from sluice.claim");
        assertEquals("1", fixture.query("select count(*) from sluice.job"));
        assertEquals("0", fixture.query("select count(*) from sluice.dead_letter"));
    }

    @Test
    @DisplayName("When no table is free the node says so, names who is in the way, and goes on")
    void noneFree() throws Exception {
        Engine engine = fixture.engine();
        fixture.subscribe(engine, "work", Set.of("entry"), DEFAULT, QueueFixture::enter);
        try (Connection reader = snapshot("select count(*) from sluice.job")) {
            for (int epoch = 6; epoch > 0; epoch--) {
                makeDeadJobs(epoch);
            }
            fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 100)");
            fixture.await("100", "select count(*) from ledger");
            QueueFixture.await(
                    () -> {
                        String problem = String.valueOf(engine.status().problem());
                        return problem.contains("dead rows")
                                && problem.contains("the reader")
                                && problem.contains("AccessShareLock");
                    },
                    () -> engine.status().problem());
            assertTrue(engine.status().ready());
        }
        awaitEmptied("job_3");
        QueueFixture.await(
                () -> engine.status().problem() == null, () -> engine.status().problem());
    }
}
