package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ClaimTest {

    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private void enqueue(int jobs) throws SQLException {
        fixture.execute(
                "select sluice.enqueue('work', 'entry', 'null', i % 4) from generate_series(1, " + jobs + ") i");
    }

    private static List<Long> ids(List<Job> jobs) {
        return jobs.stream().map(Job::id).toList();
    }

    @Test
    @DisplayName("A batch is never larger than asked for, over all priorities, and as large where there are jobs")
    void batch() throws Exception {
        enqueue(40);
        TestNode node = fixture.node();
        int left = 40;
        for (int asked = 1; left > 0; asked++) {
            List<Job> jobs = node.claim("work", asked);
            assertEquals(Math.min(asked, left), jobs.size());
            assertEquals(1, jobs.stream().map(Job::lease).distinct().count(), "one lease");
            left -= jobs.size();
        }
        assertEquals(0, node.claim("work", 10).size());
    }

    @Test
    @DisplayName("A claim takes the most urgent, and of those the oldest, and tells all of a job")
    void order() throws Exception {
        enqueue(8);
        fixture.execute("update sluice.job_1 set attempt = 2 where id = 4");
        TestNode node = fixture.node();
        List<Job> jobs = node.claim("work", 5);
        assertEquals(List.of(4L, 8L, 1L, 5L, 2L), ids(jobs));
        Job first = jobs.get(0);
        assertEquals(
                fixture.query("select concat_ws(' ', queue, priority, pos, id, kind, payload, attempt, lease,"
                        + " extract(epoch from enqueued_at)::numeric(20, 6)) from sluice.job where id = 4"),
                String.join(
                        " ",
                        first.queue(),
                        String.valueOf(first.priority()),
                        String.valueOf(first.pos()),
                        String.valueOf(first.id()),
                        first.kind(),
                        first.payload(),
                        String.valueOf(first.attempt()),
                        String.valueOf(first.lease()),
                        String.format(
                                Locale.ROOT,
                                "%d.%06d",
                                first.enqueuedAt().getEpochSecond(),
                                first.enqueuedAt().getNano() / 1_000)));
        assertEquals(
                "3 " + node.id(),
                fixture.query("select concat_ws(' ', count(*), max(node)) from sluice.claim"),
                "a claim row for each priority");
    }

    @Test
    @DisplayName("Eight claimers at once get every one of 5,000 jobs once, while these are still being enqueued")
    void atOnce() throws Exception {
        long seed = System.nanoTime();
        System.out.println("ClaimTest.atOnce: seed " + seed);
        ExecutorService threads = Executors.newFixedThreadPool(12);
        try {
            List<Future<List<Long>>> claimers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                TestNode node = fixture.node();
                Random random = new Random(seed + i);
                claimers.add(threads.submit(() -> claimUntilAllAreTaken(node, random)));
            }
            for (int i = 0; i < 4; i++) {
                Random random = new Random(seed - i);
                threads.submit(() -> {
                    produce(random);
                    return null;
                });
            }
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> claimer : claimers) {
                all.addAll(claimer.get(50, TimeUnit.SECONDS));
            }
            assertEquals(5_000, all.size());
            assertEquals(5_000, Set.copyOf(all).size());
        } finally {
            threads.shutdownNow();
        }
    }

    private void produce(Random random) throws SQLException {
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int left = 1_250; left > 0; ) {
                int count = Math.min(left, 1 + random.nextInt(50));
                statement.execute("select sluice.enqueue('work', 'entry', 'null', i % 4) from generate_series(1, "
                        + count + ") i");
                connection.commit();
                left -= count;
            }
        }
    }

    private List<Long> claimUntilAllAreTaken(TestNode node, Random random) throws SQLException {
        List<Long> claimed = new ArrayList<>();
        int empty = 0;
        while (empty < 2) {
            List<Job> jobs = node.claim("work", 1 + random.nextInt(20));
            claimed.addAll(ids(jobs));
            if (jobs.isEmpty()) {
                // what it has passed by a sweep finds
                new Sweep(node.connection(), fixture.schema(), node.claim().epochs()).sweep(Set.of("work"));
                empty = fixture.query("select count(lease) from sluice.job").equals("5000") ? empty + 1 : 0;
            }
        }
        return claimed;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 98, 900})
    @DisplayName("Setting a lease is a HOT update, whatever the payload, though a pin keeps every dead row")
    void hot(int payload) throws Exception {
        fixture.execute("select sluice.enqueue_many('work', 'entry', array_agg('\"' || repeat('x', " + payload
                + ") || '\"')) from generate_series(1, 1000)");
        try (Connection pin = fixture.connect();
                Statement snapshot = pin.createStatement()) {
            pin.setAutoCommit(false);
            pin.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            snapshot.execute("select count(*) from sluice.job");
            TestNode node = fixture.node();
            for (int i = 0; i < 100; i++) {
                assertEquals(10, node.claim("work", 10).size());
            }
            try (Statement statement = node.connection().createStatement()) {
                statement.execute("select pg_stat_force_next_flush()");
            }
        }
        fixture.await(
                "1000 1000",
                "select n_tup_upd || ' ' || n_tup_hot_upd from pg_stat_all_tables"
                        + " where relid = 'sluice.job_1'::regclass");
    }

    @Test
    @DisplayName("A claim goes by rows that somebody has locked, without waiting")
    void locked() throws Exception {
        enqueue(20);
        try (Connection connection = fixture.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select from sluice.job_1 where id <= 10 for update");
            Set<Long> claimed = new HashSet<>(ids(fixture.node().claim("work", 20)));
            assertEquals(10, claimed.size());
            assertTrue(claimed.stream().allMatch(id -> id > 10), claimed.toString());
        }
    }

    @Test
    @DisplayName("A job that was committed late, a little behind the last claim, is claimed without a sweep")
    void aLittleBehind() throws Exception {
        try (Connection late = fixture.connect();
                Statement statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute("select sluice.enqueue('work', 'late') from generate_series(1, 3)");
            fixture.execute("select sluice.enqueue('work', 'entry') from generate_series(1, 400)");
            TestNode node = fixture.node();
            assertEquals(400, node.claim("work", 1_000).size());
            // it does not take what it sees for all that there is
            new Sweep(node.connection(), fixture.schema(), node.claim().epochs()).sweep(Set.of("work"));
            late.commit();
            assertEquals(List.of(1L, 2L, 3L), ids(node.claim("work", 1_000)));
        }
    }

    @Test
    @DisplayName("A claim forgets the claims that are finished, and no other")
    void finished() throws Exception {
        enqueue(40);
        TestNode node = fixture.node();
        long one = node.claim("work", 10).get(0).lease();
        long two = node.claim("work", 10).get(0).lease();
        List<Job> last = node.claim("work", 10, one);
        String leases = "select string_agg(distinct lease::text, ' ' order by lease::text) from sluice.claim";
        assertEquals(Set.of(two, last.get(0).lease()), leases(leases));
        node.claim().forget(new TestNode.FirstEpoch(two, 12345L));
        assertEquals(Set.of(last.get(0).lease()), leases(leases));
    }

    private Set<Long> leases(String query) throws SQLException {
        Set<Long> leases = new HashSet<>();
        for (String lease : fixture.query(query).split(" ")) {
            leases.add(Long.valueOf(lease));
        }
        return leases;
    }

    @Test
    @DisplayName("Jobs that must run alone are claimed one at a time, and by nothing else")
    void alone() throws Exception {
        enqueue(4);
        fixture.execute("update sluice.job_1 set alone = true where id <= 2");
        TestNode node = fixture.node();
        assertEquals(List.of(4L, 3L), ids(node.claim("work", 10)));
        assertEquals(1, node.claimAlone("work").id());
        assertEquals(2, node.claimAlone("work").id());
        assertEquals(0, node.claim().claimAlone(1, "work", Kinds.EVERY).size());
        assertEquals("4", fixture.query("select count(*) from sluice.claim"));
    }

    @Test
    @DisplayName("Queues do not get in each other's way")
    void queues() throws Exception {
        fixture.execute("select sluice.define_queue('other')");
        fixture.execute("select sluice.enqueue('other', 'entry') from generate_series(1, 5)");
        enqueue(5);
        TestNode node = fixture.node();
        assertEquals(5, node.claim("work", 10).size());
        assertEquals(5, node.claim("other", 10).size());
        assertEquals(0, node.claim("none", 10).size());
    }
}
