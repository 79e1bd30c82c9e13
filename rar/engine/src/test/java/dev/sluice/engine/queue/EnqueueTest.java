package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.Priority;
import dev.sluice.engine.Engine;
import dev.sluice.engine.Handlers;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.database.Remedy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class EnqueueTest {

    private static final RetryPolicy DEFAULT = new RetryPolicy(null, null, null);

    private static QueueFixture fixture;
    private static Enqueue enqueue;

    @BeforeAll
    static void createDatabase() throws Exception {
        fixture = new QueueFixture();
        enqueue = new Enqueue(fixture.schema());
        fixture.execute("select sluice.define_queue('work')");
        fixture.execute("select sluice.define_queue('Größe \"1\"')");
    }

    @AfterAll
    static void dropDatabase() throws Exception {
        fixture.close();
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.assertNothingPrepared();
        fixture.execute("truncate sluice.job_1, sluice.scheduled_1, sluice.claim_1");
    }

    private static void assertRefused(String state, String sql, String... parts) throws SQLException {
        SQLException error = assertThrows(SQLException.class, () -> fixture.query(sql));
        assertEquals(state, error.getSQLState(), error.getMessage());
        String said = Remedy.explain(error);
        for (String part : parts) {
            assertTrue(said.contains(part), said);
        }
        assertEquals(
                "0",
                fixture.query("select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"));
    }

    @ParameterizedTest
    @CsvSource({"enqueue, 'null'", "enqueue_many, '{null}'"})
    @DisplayName("An unknown queue is refused, and the error names those that there are and how to create one")
    void unknownQueue(String verb, String payload) throws Exception {
        assertRefused(
                "42704",
                "select sluice." + verb + "('mial', 'entry', '" + payload + "')",
                "there is no queue \"mial\"",
                "Queues: \"Größe \"\"1\"\"\", work.",
                "Deploy a handler",
                "sluice.define_queue('mial')");
    }

    @Test
    @DisplayName("A null queue is refused, too")
    void nullQueue() throws Exception {
        assertRefused("42704", "select sluice.enqueue(null, 'entry')", "there is no queue");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "sluice.enqueue('work', 'entry', '{')",
                "sluice.enqueue('work', 'entry', '')",
                "sluice.enqueue('work', 'entry', '{', 2, '1 h')",
                "sluice.enqueue_many('work', 'entry', array['1', 'x'])",
                "sluice.enqueue_many('work', 'entry', array['1', 'x'], 2, '1 h')"
            },
            delimiter = ';')
    @DisplayName("A payload that is not JSON is refused")
    void notJson(String call) throws Exception {
        assertRefused("22P02", "select " + call, "json");
    }

    @Test
    @DisplayName("A payload over the cap of its queue is refused, with the numbers and the remedy")
    void cap() throws Exception {
        fixture.execute("update sluice.queue set payload_cap = 100 where name = 'work'");
        try {
            // 34 characters of 3 bytes in quotes
            String[] said = {
                "payload of 104 bytes", "kind \"entry\"", "cap of 100 bytes", "queue \"work\"", "payload_cap"
            };
            assertRefused("54000", "select sluice.enqueue('work', 'entry', '\"' || repeat('€', 34) || '\"')", said);
            assertRefused(
                    "54000",
                    "select sluice.enqueue_many('work', 'entry', array['1', '\"' || repeat('€', 34) || '\"', '2'])",
                    said);
            assertEquals(
                    "1", fixture.query("select 1 from sluice.enqueue('work', 'e', '\"' || repeat('x', 98) || '\"')"));
        } finally {
            fixture.execute("update sluice.queue set payload_cap = 1048576 where name = 'work'");
        }
    }

    @Test
    @DisplayName("A negative or null delay is refused, and names the kind")
    void badDelay() throws Exception {
        assertRefused("22023", "select sluice.enqueue('work', 'entry', 'null', 2, '-1 s')", "delay", "entry");
        assertRefused("22023", "select sluice.enqueue('work', 'entry', 'null', 2, null)", "delay", "entry");
        assertRefused("22023", "select sluice.enqueue_many('work', 'entry', '{null}', 2, '-1 s')", "delay", "entry");
    }

    @Test
    @DisplayName("A priority other than 0 to 3 is refused, and the error says what they mean")
    void badPriority() throws Exception {
        for (String priority : new String[] {"-1", "4", "70000", "null"}) {
            assertRefused(
                    "22023",
                    "select sluice.enqueue('work', 'entry', 'null', " + priority + ")",
                    "0 (urgent) to 3 (low)");
        }
        assertRefused("22023", "select sluice.enqueue_many('work', 'entry', '{null}', 4)", "0 (urgent) to 3 (low)");
    }

    @Test
    @DisplayName("A kind is 1 to 200 bytes")
    void badKind() throws Exception {
        assertRefused("22023", "select sluice.enqueue('work', '')", "kind", "queue \"work\"");
        assertRefused("22023", "select sluice.enqueue('work', null)", "kind");
        assertRefused("22023", "select sluice.enqueue('work', repeat('x', 201))", "kind");
        assertRefused("22023", "select sluice.enqueue_many('work', '', '{null}')", "kind");
        assertEquals("1", fixture.query("select 1 from sluice.enqueue('work', repeat('x', 200))"));
    }

    @Test
    @DisplayName("A null payload is the JSON null, for one job and for many")
    void nullPayload() throws Exception {
        fixture.execute("select sluice.enqueue('work', 'entry', null)");
        fixture.execute("select sluice.enqueue('work', 'entry')");
        fixture.execute("select sluice.enqueue('work', 'entry', null, 2, '1 h')");
        assertEquals(
                "{null,null}",
                fixture.query("select array_agg(payload::text) from sluice.job").replace("\"", ""));
        assertEquals("null", fixture.query("select payload from sluice.scheduled"));
        fixture.execute("select sluice.enqueue_many('work', 'many', array['1', null])");
        fixture.execute("select sluice.enqueue_many('work', 'many', array['1', null], 2, '1 h')");
        assertEquals(
                "1 null",
                fixture.query("select string_agg(payload::text, ' ' order by id) from sluice.job where kind = 'many'"));
    }

    @Test
    @DisplayName("No payloads make no jobs")
    void none() throws Exception {
        try (Connection connection = fixture.connect()) {
            assertEquals(
                    List.of(), enqueue.many(connection, "work", "entry", List.of(), Priority.NORMAL, Duration.ZERO));
        }
        assertEquals("0", fixture.query("select count(*) from sluice.job"));
    }

    @Test
    @DisplayName("A payload is kept byte for byte")
    void payload() throws Exception {
        String odd = "{ \"b\":1,\"a\" : \"\\u00fc\\ud83d\\ude00\\\\' ü😀\",  \"a\":2 }";
        try (Connection connection = fixture.connect()) {
            long one = enqueue.one(connection, "work", "entry", odd, Priority.NORMAL, Duration.ZERO);
            List<Long> many =
                    enqueue.many(connection, "work", "entry", List.of(odd, odd), Priority.NORMAL, Duration.ZERO);
            List<Job> jobs = fixture.node().claim("work", 10);
            assertEquals(
                    List.of(one, many.get(0), many.get(1)),
                    jobs.stream().map(Job::id).toList());
            jobs.forEach(job -> assertEquals(odd, job.payload()));
        }
    }

    @Test
    @DisplayName("Many jobs run in the order of their payloads, and their identities come in that order")
    void orderOfMany() throws Exception {
        List<String> payloads =
                IntStream.range(0, 5_000).mapToObj(String::valueOf).toList();
        for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(1))) {
            List<Long> ids;
            try (Connection connection = fixture.connect()) {
                ids = enqueue.many(connection, "work", "entry", payloads, Priority.HIGH, delay);
            }
            assertEquals(ids.stream().sorted().distinct().toList(), ids);
            if (!delay.isZero()) {
                Sweep sweep = new Sweep(fixture.node().connection(), fixture.schema(), new Epochs());
                while (!fixture.query("select count(*) from sluice.scheduled").equals("0")) {
                    sweep.sweep(Set.of());
                }
            }
            List<Job> jobs = new ArrayList<>();
            TestNode node = fixture.node();
            for (List<Job> claimed = node.claim("work", 700); !claimed.isEmpty(); claimed = node.claim("work", 700)) {
                jobs.addAll(claimed);
            }
            assertEquals(ids, jobs.stream().map(Job::id).toList());
            assertEquals(payloads, jobs.stream().map(Job::payload).toList());
            assertTrue(jobs.stream().allMatch(job -> job.priority() == 1 && job.attempt() == 0));
            fixture.execute("truncate sluice.job_1, sluice.claim_1");
        }
    }

    @Test
    @DisplayName("Jobs run at the earliest when their delay has passed on the database's clock, and soon after")
    void delay() throws Exception {
        try (QueueFixture own = new QueueFixture()) {
            own.execute("create table run (job bigint, at timestamptz default clock_timestamp())");
            own.execute("select sluice.define_queue('work')");
            Engine engine = own.engine();
            own.subscribe(engine, "work", Set.of("entry"), DEFAULT, delivery -> {
                try (Statement statement = delivery.connection().createStatement()) {
                    statement.execute(
                            "insert into run values (" + delivery.job().id() + ")");
                }
            });
            own.execute(
                    "create table due as select sluice.enqueue('work', 'entry', 'null', i % 4, i * interval '20 ms') job,"
                            + " clock_timestamp() + i * interval '20 ms' as at from generate_series(0, 50) i");
            own.await("51", "select count(*) from run");
            assertEquals(
                    "0",
                    own.query("select count(*) from run join due using (job)"
                            // the second column was computed after the first
                            + " where run.at < due.at - interval '15 ms' or run.at > due.at + interval '10 s'"));
            assertEquals("0", own.query("select count(*) from sluice.scheduled"));
        }
    }

    @Test
    @DisplayName("A delay is kept to the microsecond")
    void preciseDelay() throws Exception {
        Duration delay = Duration.ofDays(400).plusNanos(123_456_000);
        try (Connection connection = fixture.connect()) {
            enqueue.one(connection, "work", "entry", "1", Priority.NORMAL, delay);
            enqueue.many(connection, "work", "entry", List.of("1"), Priority.NORMAL, delay);
        }
        assertEquals(
                "2",
                fixture.query("select count(*) from sluice.scheduled where run_at - clock_timestamp()"
                        + " between 400 * interval '24 h' + interval '0.123456 s' - interval '10 s'"
                        + " and 400 * interval '24 h' + interval '0.123456 s'"));
    }

    @Test
    @DisplayName("What was enqueued in a transaction that rolls back was never there")
    void rolledBack() throws Exception {
        try (Connection connection = fixture.connect()) {
            connection.setAutoCommit(false);
            enqueue.one(connection, "work", "entry", "1", Priority.NORMAL, Duration.ZERO);
            enqueue.one(connection, "work", "entry", "1", Priority.NORMAL, Duration.ofHours(1));
            enqueue.many(connection, "work", "entry", List.of("1", "2"), Priority.NORMAL, Duration.ZERO);
            assertEquals(0, fixture.node().claim("work", 10).size());
            connection.rollback();
        }
        assertEquals(
                "0",
                fixture.query("select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)"));
    }

    @Test
    @DisplayName("Jobs can be enqueued in a prepared transaction, and run after its commit however late that is")
    void prepared() throws Exception {
        try (QueueFixture own = new QueueFixture()) {
            own.execute("select sluice.define_queue('work')");
            Engine engine = own.engine();
            Handlers handlers = own.subscribe(engine, "work", Set.of("entry", "late"), DEFAULT, delivery -> {});
            try (Connection connection = own.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("select sluice.enqueue('work', 'late', 'null', i % 4) from generate_series(1, 8) i");
                statement.execute("prepare transaction 'late'");
            }
            own.execute("select sluice.enqueue('work', 'entry', 'null', i % 4) from generate_series(1, 4000) i");
            own.await("0", "select count(*) from sluice.job");
            assertEquals(4_000, handlers.seen.size());
            assertEquals("t", own.query("select last_value > 2 * 500 * 4 from sluice.job_pos"), "far behind");

            own.execute("commit prepared 'late'");

            own.await("0", "select count(*) from sluice.job");
            assertEquals(
                    8,
                    handlers.seen.stream()
                            .filter(job -> job.kind().equals("late"))
                            .count());
        }
    }

    @Test
    @DisplayName("Jobs committed late in great number, far behind, are all delivered")
    void lateInGreatNumber() throws Exception {
        try (QueueFixture own = new QueueFixture()) {
            own.execute("select sluice.define_queue('work')");
            TestNode node = own.node();
            try (Connection late = own.connect();
                    Statement statement = late.createStatement()) {
                late.setAutoCommit(false);
                statement.execute("select sluice.enqueue('work', 'late') from generate_series(1, 3000)");
                own.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 1000)");
                assertEquals(1_000, node.claim("work", 1_000).size());
                late.commit();
            }
            assertEquals(0, node.claim("work", 5_000).size(), "too far behind for a claim");
            new Sweep(node.connection(), own.schema(), node.claim().epochs()).sweep(Set.of("work"));
            assertEquals(3_000, node.claim("work", 5_000).size(), "the sweep sets it back to the first");
        }
    }

    @Test
    @DisplayName("Defining a queue creates it, changes what is given and leaves the rest, and writes only what is new")
    void define() throws Exception {
        String row = "select concat_ws(' ', max_attempts, backoff, backoff_cap, payload_cap, xmin)"
                + " from sluice.queue where name = 'defined'";
        try (Connection connection = fixture.connect()) {
            enqueue.define(connection, "defined", DEFAULT);
            assertTrue(fixture.query(row).startsWith("5 00:00:01 01:00:00 1048576 "), fixture.query(row));
            enqueue.define(connection, "defined", new RetryPolicy(7, null, Duration.ofMinutes(1)));
            String changed = fixture.query(row);
            assertTrue(changed.startsWith("7 00:00:01 00:01:00 "), changed);
            enqueue.define(connection, "defined", DEFAULT);
            enqueue.define(connection, "defined", new RetryPolicy(7, Duration.ofSeconds(1), null));
            assertEquals(changed, fixture.query(row), "not written");
        } finally {
            fixture.execute("delete from sluice.queue where name = 'defined'");
        }
    }
}
