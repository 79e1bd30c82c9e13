package dev.sluice.engine.rotation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.EpochState.Family;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Transitions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RotationTest {

    private QueueFixture fixture;
    private Rotation rotation;
    private Connection connection;
    private TestNode node;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_queue('work')");
        rotation = new Rotation(fixture.schema());
        connection = fixture.connect();
        execute(connection, "set lock_timeout = '50ms'");
        node = fixture.node();
    }

    @AfterEach
    void tearDown() throws Exception {
        connection.close();
        fixture.close();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection transaction() throws SQLException {
        Connection other = fixture.connect();
        other.setAutoCommit(false);
        return other;
    }

    private void enqueue(int jobs) throws SQLException {
        fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, " + jobs + ")");
    }

    private static EpochState epoch(int epoch) {
        return new EpochState(Family.JOB, epoch, false, 0, 0, 0, 0);
    }

    private Integer rotate(int from) throws SQLException {
        return rotation.rotate(connection, epoch(from));
    }

    private String empty(int epoch) throws SQLException {
        return rotation.empty(connection, epoch(epoch));
    }

    private String rows() throws SQLException {
        return fixture.query("select coalesce(string_agg(n, ' ' order by n), '') from ("
                + "select epoch || ':' || count(*) as n from sluice.job group by epoch) e");
    }

    @Test
    @DisplayName("The next table follows, then the next, and none that is not as good as new")
    void turns() throws Exception {
        for (int epoch = 1; epoch <= 6; epoch++) {
            enqueue(1);
            assertEquals(epoch < 6 ? epoch + 1 : 6, rotate(epoch));
        }
        assertEquals("1:1 2:1 3:1 4:1 5:1 6:1", rows());
        assertEquals(6, rotate(3), "it was left before");
        fixture.execute("delete from sluice.job_4");
        assertEquals(6, rotate(6), "there are dead rows in it");
        assertNull(empty(4));
        assertEquals(4, rotate(6));
        enqueue(1);
        assertEquals("1:1 2:1 3:1 4:1 5:1 6:1", rows());
    }

    @Test
    @DisplayName("What a claim brings is of the new epoch as soon as that is open, and of the old one for a while")
    void claims() throws Exception {
        enqueue(2);
        assertEquals(1, node.claim("work", 1).size());
        try (Connection late = transaction()) {
            execute(late, "select sluice.enqueue('work', 'late')");
            assertEquals(2, rotate(1));
            enqueue(1);
            List<Job> jobs = node.claim("work", 10);
            assertEquals(List.of(1, 2), jobs.stream().map(Job::epoch).sorted().toList());
            late.commit();
            assertEquals(
                    List.of("late"),
                    node.claim("work", 10).stream().map(Job::kind).toList());
        }
    }

    @Test
    @DisplayName("The current epoch is not emptied, nor one with a row, waiting or leased")
    void rowsStay() throws Exception {
        assertEquals("it is the current epoch", empty(1));
        enqueue(2);
        rotate(1);
        assertEquals(Rotation.ROWS, empty(1));
        List<Job> jobs = node.claim("work", 2);
        assertEquals(Rotation.ROWS, empty(1));
        assertTrue(node.acknowledge(jobs.get(0)));
        assertTrue(node.acknowledge(jobs.get(1)));
        assertEquals(Rotation.ROWS, empty(1), "the claim");
        node.claim().forget(new TestNode.FirstEpoch(jobs.get(0).lease()));
        assertNull(empty(1));
        assertEquals(
                "0", fixture.query("select pg_relation_size('sluice.job_1') + pg_relation_size('sluice.claim_1')"));
    }

    @Test
    @DisplayName("A row that somebody inserts between the look and the lock stays")
    void secondLook() throws Exception {
        rotate(1);
        try (Connection late = transaction();
                Connection other = fixture.connect()) {
            execute(
                    late,
                    "insert into sluice.job_1 (queue, priority, id, kind, payload) values ('work', 2, 7, 'late', '1')");
            String holder = rotation.empty(other, epoch(1));
            assertTrue(holder.contains("RowExclusiveLock on sluice.job_1"), holder);
            late.commit();
            assertEquals(Rotation.ROWS, rotation.empty(other, epoch(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select count(*) from sluice.job_1",
                "select count(*) from sluice.claim_1",
                "select count(*) from sluice.job",
                "lock sluice.job_1 in share update exclusive mode",
                "lock sluice.claim_1 in share update exclusive mode"
            })
    @DisplayName("Whoever holds a lock on a table is not waited for but named; claims and producers go on")
    void holders(String sql) throws Exception {
        enqueue(1);
        node.claim("work", 1).forEach(this::acknowledge);
        fixture.execute("delete from sluice.claim_1");
        rotate(1);
        try (Connection reader = transaction()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute(reader, "set application_name = 'the reader'");
            execute(reader, sql);
            String reason = empty(1);
            assertTrue(reason.contains("the reader") && reason.contains("_1"), reason);
            enqueue(1);
            assertEquals(1, node.claim("work", 1).size());
            reader.rollback();
        }
        assertNull(empty(1));
    }

    private void acknowledge(Job job) {
        try {
            assertTrue(node.acknowledge(job));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("A lock on the TOAST table is waited for 50 ms at most, and its holder is named")
    void toast() throws Exception {
        rotate(1);
        try (Connection reader = transaction()) {
            execute(
                    reader,
                    "select count(*) from "
                            + fixture.query(
                                    "select reltoastrelid::regclass from pg_class where oid = 'sluice.job_1'::regclass"));
            String reason = empty(1);
            assertTrue(reason.contains("pg_toast"), reason);
            reader.rollback();
        }
        assertNull(empty(1));
    }

    @Test
    @DisplayName("A transaction that is prepared keeps the table that it wrote to, and is named")
    void prepared() throws Exception {
        try (Connection producer = transaction()) {
            execute(producer, "select sluice.enqueue('work', 'prepared')");
            execute(producer, "prepare transaction 'by hand'");
        }
        rotate(1);
        String reason = empty(1);
        assertTrue(reason.contains("the prepared transaction \"by hand\""), reason);
        fixture.execute("commit prepared 'by hand'");
        assertEquals(Rotation.ROWS, empty(1));
        assertEquals("prepared", node.claim("work", 1).get(0).kind());
    }

    @Test
    @DisplayName("Nothing is emptied while pg_dump has a snapshot, or while that was asked for")
    void held() throws Exception {
        rotate(1);
        try (Connection dump = transaction()) {
            execute(dump, "set application_name = 'pg_dump'");
            dump.commit();
            dump.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            execute(dump, "select 1");
            assertTrue(empty(1).contains("pg_dump"), empty(1));
            dump.rollback();
        }
        fixture.execute("select sluice.hold_rotation('1 hour')");
        assertTrue(empty(1).contains("hold_rotation"), empty(1));
        fixture.execute("select sluice.hold_rotation('0')");
        fixture.await("t", "select sluice.snapshot_holder() is null");
        assertNull(empty(1));
        SQLException e = assertThrows(SQLException.class, () -> fixture.execute("select sluice.hold_rotation(null)"));
        assertEquals("22023", e.getSQLState());
    }

    @Test
    @DisplayName("Two nodes do not see to the tables at the same time")
    void oneAtATime() throws Exception {
        try (Connection other = transaction()) {
            execute(other, "select sluice.begin_rotation()");
            assertNull(rotate(1));
            assertEquals("another node is at it", empty(2));
            assertEquals(0, rotation.carryOver(connection, epoch(2)));
            other.rollback();
        }
        assertEquals(2, rotate(1));
    }

    @Test
    @DisplayName("Rotation is refused to a transaction that would not see what was committed before the lock")
    void isolation() throws Exception {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertEquals("25000", assertThrows(SQLException.class, () -> empty(2)).getSQLState());
    }

    @Test
    @DisplayName("Waiting jobs are carried over in their order; what was rolled back is for those who rolled back")
    void waiting() throws Exception {
        enqueue(10);
        try (Connection taker = transaction()) {
            execute(taker, "delete from sluice.job_1 where id in (3, 4)");
            taker.rollback();
            execute(taker, "delete from sluice.job_1 where id = 5");
            rotate(1);
            assertEquals(7, rotation.carryOver(connection, epoch(1)));
            taker.rollback();
        }
        assertEquals("1:3 2:7", rows());
        assertEquals(
                "1,2,6,7,8,9,10",
                fixture.query("select string_agg(id::text, ',' order by pos) from sluice.job where epoch = 2"));
        assertEquals(3, rotation.carryOverRolledBack(connection, epoch(1)));
        assertEquals(
                "3,4,5", fixture.query("select string_agg(id::text, ',' order by pos) from sluice.job where alone"));
        assertNull(empty(1));
        assertEquals(7, node.claim("work", 20).size());
    }

    @Test
    @DisplayName("Whatever becomes of a leased job that was carried over finds it, and its rescue does")
    void leased() throws Exception {
        enqueue(6);
        List<Job> jobs = node.claim("work", 6);
        rotate(1);
        try (Connection acknowledging = transaction()) {
            execute(acknowledging, "delete from sluice.job_1 where id = 6");
            assertEquals(5, rotation.carryOver(connection, epoch(1)));
            acknowledging.rollback();
        }
        assertEquals("1:1 2:5", rows());
        assertEquals(1, rotation.carryOver(connection, epoch(1)), "the claim was left where the sixth is");
        assertNull(empty(1));
        assertEquals("1", fixture.query("select count(*) from sluice.claim where epoch = 2"));
        rotate(2);
        assertEquals(6, rotation.carryOver(connection, epoch(2)), "once more");

        assertTrue(node.acknowledge(jobs.get(0)));
        assertFalse(node.acknowledge(jobs.get(0)), "it is gone");
        assertEquals("scheduled", node.fail(jobs.get(1), "why"));
        node.release(jobs.get(2));
        node.defer(jobs.get(3), Duration.ofHours(1));
        assertEquals("3:3", rows());
        assertEquals(1, node.claim("work", 10).size(), "the one that was released");
        node.die();
        assertEquals(3, fixture.node().rescue());
        assertEquals("3", fixture.query("select count(*) from sluice.job where alone and lease is null"));
        assertEquals("0", fixture.query("select count(*) from sluice.claim"));
    }

    @Test
    @DisplayName("A list whose jobs were carried over half way is acknowledged as a whole")
    void list() throws Exception {
        enqueue(4);
        List<Job> jobs = node.claim("work", 4);
        rotate(1);
        try (Connection other = transaction()) {
            execute(other, "select from sluice.job_1 where id = 2 for update");
            assertEquals(3, rotation.carryOver(connection, epoch(1)));
            other.rollback();
        }
        try (Connection acknowledging = transaction()) {
            assertTrue(new Transitions(fixture.schema()).acknowledge(acknowledging, jobs));
            acknowledging.commit();
        }
        assertEquals("", rows());
    }

    @Test
    @DisplayName("What is scheduled is carried over with its time")
    void scheduled() throws Exception {
        fixture.execute(
                "select sluice.enqueue('work', 'entry', '1', 2, i * interval '1 hour') from generate_series(1, 5) i");
        String due = "select string_agg(id || ' ' || date_trunc('second', run_at + interval '0.5 s'), ',' order by id)"
                + " from sluice.scheduled";
        String before = fixture.query(due);
        EpochState first = new EpochState(Family.SCHEDULED, 1, false, 0, 0, 0, 0);
        assertEquals(2, rotation.rotate(connection, first));
        assertEquals(Rotation.ROWS, rotation.empty(connection, first));
        assertEquals(5, rotation.carryOver(connection, first));
        assertNull(rotation.empty(connection, first));
        assertEquals(before, fixture.query(due));
    }
}
