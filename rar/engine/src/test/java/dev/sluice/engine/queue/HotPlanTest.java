package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.ExplainedConnection;
import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The plans of the hot statements on tables that hold nothing but dead rows, which vacuum must keep since somebody's
 * snapshot may see them. Statistics say "empty" then, and plans that are good for empty tables are deadly.
 */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HotPlanTest {

    private static final int DEAD = 1_000_000;

    /** A walk over all dead rows touches more than 30,000. */
    private static final long FEW_BUFFERS = 600;

    private static final int DEAD_SCHEDULED = 100_000;

    private static final Pattern SCAN_OF_JOBS =
            Pattern.compile("(\\S+ ?\\S*) Scan (using (\\S+) )?on (\\S+\\.)?job_1\\b.*");

    private static final Map<Lane, Long> LANES = Stream.of(0, 1, 2, 3)
            .collect(Collectors.toMap(priority -> new Lane(1, "work", priority.shortValue()), priority -> 0L));

    private QueueFixture fixture;
    private Connection pin;
    private Connection node;
    private Connection handler;
    private long nodeId;
    private ExplainedConnection explained;

    /** The PostgreSQL that makes the plans. */
    PostgresVersion postgres() {
        return PostgresVersion.V18;
    }

    @BeforeAll
    void makeDeadRows() throws Exception {
        fixture = new QueueFixture(postgres());
        fixture.execute("select sluice.define_queue('work')");
        fixture.execute("alter table sluice.job_1 set (autovacuum_enabled = off)");
        pin = fixture.connect();
        pin.setAutoCommit(false);
        pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = pin.createStatement()) {
            statement.execute("select count(*) from sluice.queue");
        }
        fixture.execute("insert into sluice.job_1 (queue, priority, id, kind, payload)"
                + " select 'work', i % 4, i, 'entry', to_json(repeat('x', 98)) from generate_series(1, " + DEAD
                + ") i");
        fixture.execute("delete from sluice.job_1");
        fixture.execute("insert into sluice.scheduled_1 (run_at, id, queue, priority, kind, payload)"
                + " select '2000-01-01', i, 'work', 2, 'entry', '1' from generate_series(1, "
                + DEAD_SCHEDULED + ") i");
        fixture.execute("delete from sluice.scheduled_1");
        fixture.execute("vacuum (analyze) sluice.job_1");
        fixture.execute("vacuum (analyze) sluice.scheduled_1");
        assertEquals("0", fixture.query("select reltuples from pg_class where oid = 'sluice.job_1'::regclass"));
        assertTrue(
                Long.parseLong(fixture.query("select pg_relation_size('sluice.job_1') / 8192")) > 25_000,
                "dead rows stay");
    }

    @AfterAll
    void close() throws Exception {
        for (Connection connection : new Connection[] {pin, node, handler}) {
            if (connection != null) {
                connection.close();
            }
        }
        fixture.close();
    }

    @BeforeEach
    void setUp() throws Exception {
        fixture.execute("delete from sluice.job_1");
        fixture.execute("delete from sluice.claim_1");
        fixture.execute("delete from sluice.scheduled_1");
    }

    /** What the planner believes of the tables. */
    enum Statistics {
        /** Nothing: they are new. */
        FRESH("update pg_class set relpages = 0, reltuples = -1"),
        /** That they have many pages and no row. */
        ANALYSED("update pg_class set relpages = pg_relation_size(oid) / 8192, reltuples = 0");

        private final String update;

        Statistics(String update) {
            this.update = update;
        }
    }

    private void set(Statistics statistics) throws SQLException {
        fixture.execute(statistics.update + " where oid in ('sluice.job_1'::regclass, 'sluice.scheduled_1'::regclass)");
    }

    /** A connection as a node claims on. */
    private Connection claimingConnection() throws SQLException {
        claimer();
        return explained.connection();
    }

    private Claim claimer() throws SQLException {
        close(node);
        node = fixture.connect();
        explained = new ExplainedConnection(node);
        nodeId = NodeRow.register(node, fixture.schema(), "test", Duration.ofHours(1))
                .id();
        return new Claim(explained.connection(), fixture.schema(), nodeId, new Epochs());
    }

    private Connection handler() throws SQLException {
        close(handler);
        handler = fixture.connect();
        explained = new ExplainedConnection(handler);
        return explained.connection();
    }

    private static void close(Connection connection) throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }

    private void enqueue(int jobs) throws SQLException {
        fixture.execute(
                "select sluice.enqueue('work', 'entry', 'null', i % 4) from generate_series(1, " + jobs + ") i");
    }

    /** Every look at jobs goes through an index, or to a row address, and none sorts or collects them. */
    private String onlyPlan(String text, String index) {
        List<String> plans = explained.takePlans(text);
        assertEquals(1, plans.size(), () -> text + ": " + plans);
        String plan = plans.get(0);
        boolean seen = false;
        for (String line : plan.split("\n")) {
            var scan = SCAN_OF_JOBS.matcher(line.replaceFirst("^\\s*(->)?\\s*", ""));
            if (scan.matches()) {
                boolean right = scan.group(1).equals("Tid")
                        || String.valueOf(scan.group(3)).matches(index);
                assertTrue(right, () -> line + " in\n" + plan);
                seen = true;
            }
        }
        assertTrue(seen, plan);
        assertFalse(plan.contains("Bitmap"), plan);
        return plan;
    }

    private static void assertFew(String plan) {
        long buffers = ExplainedConnection.buffers(plan);
        assertTrue(buffers > 0 && buffers < FEW_BUFFERS, () -> buffers + " buffers in\n" + plan);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A claim reads the primary key in its order, and touches few buffers once it knows its position")
    void claim(Statistics statistics) throws Exception {
        set(statistics);
        Claim claim = claimer();
        enqueue(40);
        assertEquals(
                40,
                claim.claim("work", 40, Kinds.EVERY, new TestNode.FirstEpoch()).size());
        fixture.execute("delete from sluice.job_1");
        for (int round = 0; round < 3; round++) {
            enqueue(40);
            explained.takePlans("");
            assertEquals(
                    10,
                    claim.claim("work", 10, Kinds.EVERY, new TestNode.FirstEpoch(1L))
                            .size());
            String plan = onlyPlan("sluice:claim */", "job_1_pkey");
            // of the ten that were claimed, at the very end
            assertTrue(plan.indexOf("Sort") == plan.lastIndexOf("Sort  (") || !plan.contains("Sort  ("), plan);
            assertTrue(plan.indexOf("LockRows") > 0, plan);
            assertFew(plan);
            fixture.execute("delete from sluice.job_1");
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A claim that finds nothing is as cheap")
    void emptyClaim(Statistics statistics) throws Exception {
        set(statistics);
        Claim claim = claimer();
        enqueue(40);
        claim.claim("work", 40, Kinds.EVERY, new TestNode.FirstEpoch());
        fixture.execute("delete from sluice.job_1");
        explained.takePlans("");
        assertEquals(
                0,
                claim.claim("work", 10, Kinds.EVERY, new TestNode.FirstEpoch()).size());
        assertFew(onlyPlan("sluice:claim */", "job_1_pkey"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A claim of a job that runs alone, and the look for one, touch few buffers")
    void alone(Statistics statistics) throws Exception {
        set(statistics);
        Claim claim = claimer();
        fixture.execute("insert into sluice.job_1 (queue, priority, id, kind, payload, alone)"
                + " values ('work', 2, nextval('sluice.job_id'), 'entry', '1', true)");
        explained.takePlans("");
        assertEquals(1, claim.claimAlone(1, "work", Kinds.EVERY).size());
        assertFew(onlyPlan("sluice:claim alone", "job_1_alone"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A transactional claim reads the primary key in its order, whatever the handler's session is set to")
    void take(Statistics statistics) throws Exception {
        set(statistics);
        Take take = new Take(fixture.schema());
        Epochs epochs = new Epochs();
        Connection connection = handler();
        enqueue(40);
        assertEquals(40, take.take(connection, epochs, "work", Kinds.EVERY, 40).size());
        for (int round = 0; round < 8; round++) {
            // from the sixth on a plan for any parameters would be taken, were it not always
            enqueue(40);
            explained.takePlans("");
            assertEquals(
                    10, take.take(connection, epochs, "work", Kinds.EVERY, 10).size());
            String plan = onlyPlan("with taken as", "job_1_pkey");
            assertTrue(plan.indexOf("LockRows") > 0, plan);
            assertFew(plan);
            fixture.execute("delete from sluice.job_1");
        }
        assertEquals("on", handlerSetting("enable_seqscan"));
    }

    private String handlerSetting(String name) throws SQLException {
        try (Statement statement = handler.createStatement();
                var row = statement.executeQuery("show " + name)) {
            row.next();
            return row.getString(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("What a rolled back transaction had taken is found and isolated through the primary key")
    void isolation(Statistics statistics) throws Exception {
        set(statistics);
        Isolation isolation = new Isolation(claimingConnection(), fixture.schema());
        enqueue(40);
        try (Connection dying = fixture.connect();
                Statement statement = dying.createStatement()) {
            dying.setAutoCommit(false);
            statement.execute("delete from sluice.job_1 where id % 2 = 0");
            dying.rollback();
        }
        assertEquals(0, isolation.look(LANES), "once is not enough");
        explained.takePlans("");
        assertEquals(20, isolation.look(LANES));
        List<String> plans = explained.takePlans("/* sluice:");
        assertEquals(2, plans.size(), plans.toString());
        for (String plan : plans) {
            assertFalse(plan.contains("Seq Scan on job_1"), plan);
            assertFalse(plan.contains("Bitmap"), plan);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("The sweep reads the primary key in its order, and touches few buffers from its second look on")
    void sweep(Statistics statistics) throws Exception {
        set(statistics);
        claimer();
        Sweep sweep = new Sweep(explained.connection(), fixture.schema(), new Epochs());
        sweep.sweep(Set.of("work"));
        enqueue(4);
        for (int look = 0; look < 8; look++) {
            explained.takePlans("");
            assertEquals(Set.of("work"), sweep.sweep(Set.of("work")).waiting());
            assertFew(onlyPlan("earliest", "job_1_(pkey|alone)"));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("What ends a job finds it by its whole key, whatever the planner's settings are")
    void ends(Statistics statistics) throws Exception {
        set(statistics);
        Transitions transitions = new Transitions(fixture.schema());
        Claim claim = claimer();
        enqueue(4);
        List<Job> jobs = claim.claim("work", 4, Kinds.EVERY, new TestNode.FirstEpoch());
        assertEquals(4, jobs.size());
        Connection connection = handler();

        assertTrue(transitions.acknowledge(connection, jobs.subList(0, 1)));
        assertFew(onlyPlan("sluice:acknowledge", "job_1_pkey"));
        assertEquals("scheduled", transitions.fail(connection, jobs.get(1), "why"));
        assertFew(onlyPlan("delete from \"sluice\".job_1", "job_1_pkey"));
        transitions.release(connection, jobs.get(2));
        assertFew(onlyPlan("delete from \"sluice\".job_1", "job_1_pkey"));
        transitions.defer(connection, jobs.get(3), Duration.ZERO);
        assertFew(onlyPlan("delete from \"sluice\".job_1", "job_1_pkey"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("The rescue of a claim looks only where the claim says")
    void rescue(Statistics statistics) throws Exception {
        set(statistics);
        Claim claim = claimer();
        enqueue(4);
        assertEquals(
                4,
                claim.claim("work", 4, Kinds.EVERY, new TestNode.FirstEpoch()).size());
        fixture.execute("delete from sluice.node where id = " + nodeId);
        NodeRow rescuer = NodeRow.register(explained.connection(), fixture.schema(), "rescuer", Duration.ofHours(1));
        explained.takePlans("");
        assertEquals(4, rescuer.rescue(new Long[0]));
        List<String> plans = explained.takePlans("delete from \"sluice\".job_1");
        assertEquals(4, plans.size(), "one a priority");
        for (String plan : plans) {
            assertTrue(plan.contains("Index Scan using job_1_pkey"), plan);
            assertFalse(plan.contains("Bitmap"), plan);
            assertFew(plan);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "The promotion of due jobs reads the schedule by time, and touches few buffers from its second look on")
    void promote(Statistics statistics) throws Exception {
        set(statistics);
        claimer();
        Sweep sweep = new Sweep(explained.connection(), fixture.schema(), new Epochs());
        sweep.sweep(Set.of());
        for (int look = 0; look < 8; look++) {
            fixture.execute("select sluice.enqueue('work', 'entry', 'null', 2, '1 us')");
            explained.takePlans("");
            sweep.sweep(Set.of());
            List<String> plans = explained.takePlans("delete from \"sluice\".scheduled_1");
            assertEquals(1, plans.size());
            assertTrue(plans.get(0).contains("Index Scan using scheduled_1_pkey"), plans.get(0));
            assertFalse(plans.get(0).contains("Seq Scan on scheduled"), plans.get(0));
            assertFew(plans.get(0));
        }
    }
}
