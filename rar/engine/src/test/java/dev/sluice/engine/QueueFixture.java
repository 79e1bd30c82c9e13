package dev.sluice.engine;

import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.schema.Schema;
import dev.sluice.launcher.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A database of its own in a PostgreSQL that all tests of this JVM share, and engines that work on it. */
public final class QueueFixture implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static final class Shared {
        private static final PostgresServer POSTGRES = PostgresServer.builder().start();
    }

    private final String database = "test_" + NUMBER.incrementAndGet();
    private final List<Engine> engines = new ArrayList<>();
    private final ExecutorService workers = Executors.newCachedThreadPool();

    public QueueFixture() throws SQLException {
        postgres().createDatabase(database);
    }

    public static PostgresServer postgres() {
        return Shared.POSTGRES;
    }

    public String url() {
        return postgres().jdbcUrl(database);
    }

    public Connection connect() throws SQLException {
        return postgres().connect(database);
    }

    public Settings settings(Map<Setting, String> more) {
        Map<Setting, String> values = new java.util.EnumMap<>(Setting.class);
        values.put(Setting.URL, url());
        values.put(Setting.USER, PostgresServer.USER);
        values.put(Setting.NODE_TIMEOUT, "1000");
        values.put(Setting.POLL_INTERVAL, "50");
        values.putAll(more);
        return Settings.of(values, Map.of());
    }

    public Database database() {
        return new Database(settings(Map.of()));
    }

    public Schema schema() {
        return new Schema("sluice");
    }

    /** An engine of a node, connected and with its schema migrated. */
    public Engine engine() throws InterruptedException {
        Engine engine = new Engine(() -> settings(Map.of()));
        engines.add(engine);
        engine.start();
        await(
                () -> engine.status().ready(),
                () -> "not ready: " + engine.status().problem());
        return engine;
    }

    /** Waits until something holds; fails with what is said of it. */
    public static void await(BooleanSupplier condition, Supplier<String> otherwise) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError(otherwise.get());
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Runs a statement in a transaction of its own. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row; null without one. */
    public String query(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Waits until a query gives this answer; fails with the last one. */
    public void await(String expected, String sql) throws SQLException, InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        String actual = query(sql);
        while (!expected.equals(actual)) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("not " + expected + " but " + actual + ": " + sql);
            }
            TimeUnit.MILLISECONDS.sleep(10);
            actual = query(sql);
        }
    }

    /** Runs each job of a queue by this handler, on a thread of its own, in a transaction that commits unless it throws. */
    public Handlers subscribe(Engine engine, String queue, Set<String> kinds, RetryPolicy policy, Handler handler) {
        Handlers handlers = new Handlers(queue, kinds, policy, handler, workers);
        engine.subscribe(handlers);
        return handlers;
    }

    /** A handler of jobs. */
    public interface Handler {
        void run(Delivery delivery) throws Exception;
    }

    /** Delivers as a container would. */
    public static final class Handlers implements Subscriber {

        private final String queue;
        private final Set<String> kinds;
        private final RetryPolicy policy;
        private final Handler handler;
        private final ExecutorService workers;
        public final ConcurrentLinkedQueue<Job> seen = new ConcurrentLinkedQueue<>();
        public volatile int concurrency = 8;

        Handlers(String queue, Set<String> kinds, RetryPolicy policy, Handler handler, ExecutorService workers) {
            this.queue = queue;
            this.kinds = kinds;
            this.policy = policy;
            this.handler = handler;
            this.workers = workers;
        }

        @Override
        public String queue() {
            return queue;
        }

        @Override
        public RetryPolicy retryPolicy() {
            return policy;
        }

        @Override
        public Set<String> kinds() {
            return kinds;
        }

        @Override
        public int batch() {
            return 10;
        }

        @Override
        public int concurrency() {
            return concurrency;
        }

        @Override
        public void accept(Delivery delivery) {
            workers.execute(() -> {
                seen.add(delivery.job());
                try {
                    TestTransaction.run(delivery, handler);
                } finally {
                    delivery.settle();
                }
            });
        }
    }

    @Override
    public void close() throws Exception {
        for (Engine engine : engines) {
            engine.stop(Duration.ofSeconds(10));
        }
        workers.shutdownNow();
    }
}
