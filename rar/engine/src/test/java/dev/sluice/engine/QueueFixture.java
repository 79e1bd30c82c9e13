package dev.sluice.engine;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Schema;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.delivery.ClaimMode;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import dev.sluice.engine.schema.Migrator;
import dev.sluice.launcher.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A database of its own, by default in a PostgreSQL that all tests of this JVM share, and the nodes that work on it. At
 * its end it checks that the nodes left no session and no prepared transaction behind.
 */
public final class QueueFixture implements AutoCloseable {

    /** How long anything that a test waits for may take. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Handlers fail by the thousand here; {@code -Dsluice.test.log=INFO} shows it. */
    private static final Logger LOG = Logger.getLogger("dev.sluice");

    static {
        LOG.setLevel(Level.parse(System.getProperty("sluice.test.log", "OFF")));
    }

    private final PostgresServer server;
    private final String database = "test_" + NUMBER.incrementAndGet();
    private final List<Engine> engines = new CopyOnWriteArrayList<>();
    private final List<TestNode> nodes = new ArrayList<>();
    private final ExecutorService workers = Executors.newCachedThreadPool();
    /** The mode of subscribers that are made from now on. */
    public volatile ClaimMode mode = ClaimMode.LEASED;

    private Connection observer;

    /** A database with the queue's schema. */
    public QueueFixture() throws SQLException {
        this(PostgresVersion.standard());
    }

    /** A database with the queue's schema, in the shared PostgreSQL of this version. */
    public QueueFixture(PostgresVersion version) throws SQLException {
        this(version.shared(), PostgresVersion.TEMPLATE);
    }

    /** A database with the queue's schema, in a PostgreSQL of the test's own. */
    public QueueFixture(PostgresServer server) throws SQLException {
        this(server, "template1");
        migrate(server, database);
    }

    private QueueFixture(PostgresServer server, String template) throws SQLException {
        this.server = server;
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + database + " template " + template);
        }
    }

    /** An empty database. */
    public static QueueFixture withoutSchema() throws SQLException {
        return new QueueFixture(postgres(), "template1");
    }

    static void migrate(PostgresServer server, String database) throws SQLException {
        Map<Setting, String> values = Map.of(Setting.URL, server.jdbcUrl(database), Setting.USER, PostgresServer.USER);
        new Migrator(new Database(Settings.of(values, Map.of()))).migrate();
    }

    public static PostgresServer postgres() throws SQLException {
        return PostgresVersion.standard().shared();
    }

    public String databaseName() {
        return database;
    }

    public String url() {
        return server.jdbcUrl(database);
    }

    /** A session that waits for no lock longer than {@link #PATIENCE}, so that a test fails and does not hang. */
    public Connection connect() throws SQLException {
        Connection connection = server.connect(database);
        try (Statement statement = connection.createStatement()) {
            statement.execute("set lock_timeout = " + PATIENCE.toMillis());
        }
        return connection;
    }

    /** The settings of a quick node on this database, but for what is given here. */
    public Settings settings(Map<Setting, String> more) {
        Map<Setting, String> values = new EnumMap<>(Setting.class);
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

    /** The same database, behind a proxy. */
    public Database databaseThrough(CuttingProxy proxy) {
        return new Database(settings(Map.of(Setting.URL, proxy.jdbcUrl(database))));
    }

    public Schema schema() {
        return new Schema("sluice");
    }

    /** An engine of a node, connected and with its schema migrated. */
    public Engine engine() throws InterruptedException {
        return engine(Map.of());
    }

    /** An engine of a node, connected and with its schema migrated. */
    public Engine engine(Map<Setting, String> more) throws InterruptedException {
        Engine engine = idleEngine(more);
        engine.start();
        awaitReady(engine);
        return engine;
    }

    /** An engine that has not been started. */
    public Engine idleEngine(Map<Setting, String> more) {
        Engine engine = new Engine(() -> settings(more));
        engines.add(engine);
        return engine;
    }

    public static void awaitReady(Engine engine) throws InterruptedException {
        await(
                () -> engine.status().ready(),
                () -> "not ready: " + engine.status().problem());
    }

    /** A node that does only what the test says. */
    public TestNode node() throws SQLException {
        return node(TestNode.TIMEOUT);
    }

    /** A node that may be silent for this long. */
    public TestNode node(Duration timeout) throws SQLException {
        TestNode node = new TestNode(this, timeout);
        nodes.add(node);
        return node;
    }

    /** Waits until something holds; fails with what is said of it. */
    public static void await(BooleanSupplier condition, Supplier<String> otherwise) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError(otherwise.get());
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** Runs a statement in a transaction of its own. */
    public synchronized void execute(String sql) throws SQLException {
        try (Statement statement = observer().createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row; null without one. */
    public synchronized String query(String sql) throws SQLException {
        try (Statement statement = observer().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private Connection observer() throws SQLException {
        // pgjdbc knows a connection as closed once an operation on it has failed for that
        if (observer == null || observer.isClosed()) {
            observer = connect();
        }
        return observer;
    }

    /** Waits until a query gives this answer; fails with the last one. The server may have restarted. */
    public void await(String expected, String sql) throws SQLException, InterruptedException {
        long until = System.nanoTime() + PATIENCE.toNanos();
        String actual = queryUnlessDown(sql);
        while (!expected.equals(actual)) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("not " + expected + " but " + actual + ": " + sql);
            }
            TimeUnit.MILLISECONDS.sleep(10);
            actual = queryUnlessDown(sql);
        }
    }

    private String queryUnlessDown(String sql) throws SQLException {
        try {
            return query(sql);
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                return e.getMessage();
            }
            throw e;
        }
    }

    /** Creates the table that {@link #enter} writes to; it allows a job twice, so that a test sees it. */
    public void createLedger() throws SQLException {
        execute("create table ledger (job bigint, attempt int)");
    }

    /** The work of a handler: writes its jobs down, in its transaction. */
    public static void enter(Delivery delivery) throws SQLException {
        try (Statement statement = delivery.connection().createStatement()) {
            for (Job job : delivery.jobs()) {
                statement.execute("insert into ledger values (" + job.id() + ", " + job.attempt() + ")");
            }
        }
    }

    /** Waits until a session of this database waits for a lock, in a statement with this text. */
    public void awaitBlocked(String text) throws SQLException, InterruptedException {
        await(
                "1",
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
                        + " and query like '%" + text + "%' and pid <> pg_backend_pid()");
    }

    /** Runs each job of a queue by this handler, on a thread of its own, in a transaction that commits unless it throws. */
    public Handlers subscribe(Engine engine, String queue, Set<String> kinds, RetryPolicy policy, Handler handler) {
        Handlers handlers = transacted(queue, kinds, policy, handler);
        engine.subscribe(handlers);
        return handlers;
    }

    /** A subscriber that is not subscribed yet; each job runs in a transaction that commits unless the handler throws. */
    public Handlers transacted(String queue, Set<String> kinds, RetryPolicy policy, Handler handler) {
        return handlers(queue, kinds, policy, delivery -> TestTransaction.run(delivery, handler));
    }

    /** A subscriber that is not subscribed yet; each of its deliveries runs on a thread of its own and is settled then. */
    public Handlers handlers(String queue, Set<String> kinds, RetryPolicy policy, Handler container) {
        Handlers handlers = new Handlers(queue, kinds, policy, container, workers);
        handlers.mode = mode;
        return handlers;
    }

    /** A handler of jobs. */
    public interface Handler {
        void run(Delivery delivery) throws Exception;
    }

    /** Fails if a test left prepared transactions behind, and rolls them back, since they would disturb all others. */
    public void assertNothingPrepared() throws SQLException {
        String prepared =
                query("select string_agg(gid, ', ') from pg_prepared_xacts where database = current_database()");
        if (prepared != null) {
            for (String gid : prepared.split(", ")) {
                execute("rollback prepared '" + gid.replace("'", "''") + "'");
            }
            throw new AssertionError("left prepared: " + prepared);
        }
    }

    @Override
    public void close() throws Exception {
        for (Engine engine : engines) {
            engine.stop(Duration.ofSeconds(10));
        }
        workers.shutdownNow();
        for (TestNode node : nodes) {
            node.close();
        }
        if (!server.isRunning()) {
            return;
        }
        try {
            await(
                    "",
                    "select coalesce(string_agg(application_name || ': ' || query, '; '), '') from pg_stat_activity"
                            + " where datname = current_database() and application_name like 'sluice %'");
            assertNothingPrepared();
        } finally {
            observer().close();
            try (Connection connection = server.connect("postgres");
                    Statement statement = connection.createStatement()) {
                statement.execute("drop database " + database + " with (force)");
            }
        }
    }
}
