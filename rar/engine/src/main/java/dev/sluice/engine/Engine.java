package dev.sluice.engine;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.NodeStatus;
import dev.sluice.api.Operations;
import dev.sluice.api.SluiceException;
import dev.sluice.engine.admission.PermitQueue;
import dev.sluice.engine.delivery.Dispatcher;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.delivery.Workplace;
import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Enqueue;
import dev.sluice.engine.queue.NodeRow;
import dev.sluice.engine.queue.Sweep;
import dev.sluice.engine.queue.Transitions;
import dev.sluice.engine.schema.Migrator;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * A server's part in the queue. One thread connects, brings the schema up to date, serves the subscribers and keeps the
 * node alive; when the database goes away it begins again. Can be started and stopped any number of times.
 */
public final class Engine implements Operations {

    /** What this engine has while it is configured. */
    private record Session(Settings settings, Workplace workplace, Connections admissions, PermitQueue permits) {}

    private static final Logger LOG = System.getLogger(Engine.class.getName());

    /** A row may be locked by a transaction that is in doubt: then the rescue decides later. */
    private static final String SETTLE = "set lock_timeout = '5s'; set statement_timeout = '30s'";

    private static final Duration SHORTEST_RETRY = Duration.ofSeconds(1);

    /** Longest wait between two tries to connect, so that delivery begins soon after the database is back. */
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(10);

    /** How often the same problem is logged again. */
    private static final Duration REPEAT_PROBLEM = Duration.ofMinutes(1);

    private final Supplier<Settings> configuration;
    private final List<Subscriber> wanted = new CopyOnWriteArrayList<>();
    private final Set<Subscriber> announced = ConcurrentHashMap.newKeySet();
    private Thread thread;
    private volatile boolean stopping;
    private volatile String problem = "not started";
    private volatile Session session;
    private volatile NodeRow node;
    private volatile Dispatcher dispatcher;
    private Duration retry = SHORTEST_RETRY;
    private String loggedProblem;
    private long loggedAt;

    /** @param configuration asked again until it names a database, since it may come late */
    public Engine(Supplier<Settings> configuration) {
        this.configuration = configuration;
    }

    /** Starts the thread; without effect if it runs. */
    public synchronized void start() {
        if (thread != null) {
            return;
        }
        stopping = false;
        problem = "starting";
        thread = new Thread(this::run, "sluice");
        thread.setDaemon(true);
        // whoever starts us may be any application: what we load is our own
        thread.setContextClassLoader(Engine.class.getClassLoader());
        thread.start();
    }

    /**
     * Stops claiming, waits for what runs, signs the node off.
     *
     * @param longest how long to wait; what still runs then is rescued by other nodes
     */
    public synchronized void stop(Duration longest) throws InterruptedException {
        if (thread == null) {
            return;
        }
        stopping = true;
        Dispatcher current = dispatcher;
        if (current != null) {
            for (Subscriber subscriber : current.subscribers()) {
                if (!current.unsubscribe(subscriber, longest)) {
                    LOG.log(Level.WARNING, "Queue {0}: jobs still run at the stop", subscriber.queue());
                }
            }
        }
        thread.interrupt();
        thread.join(longest.toMillis());
        thread = null;
        problem = "stopped";
    }

    /** Delivers to this subscriber from now on, or from when the database is there. */
    public void subscribe(Subscriber subscriber) {
        wanted.add(subscriber);
        Dispatcher current = dispatcher;
        if (current != null) {
            current.leaveServing();
        }
    }

    /**
     * Ends delivery to this subscriber.
     *
     * @return false if something still runs there after this time
     */
    public boolean unsubscribe(Subscriber subscriber, Duration longest) throws InterruptedException {
        wanted.remove(subscriber);
        announced.remove(subscriber);
        Dispatcher current = dispatcher;
        return current == null || current.unsubscribe(subscriber, longest);
    }

    /** There are new jobs in this queue, committed on this node. */
    public void wake(String queue) {
        Dispatcher current = dispatcher;
        if (current != null) {
            current.wake(queue);
        }
    }

    /**
     * The database.
     *
     * @throws SQLException if none is configured
     */
    public Database database() throws SQLException {
        Session current = session;
        if (current != null) {
            return current.workplace().database();
        }
        Settings settings = configuration.get();
        if (!settings.configured()) {
            throw new SQLException(notConfigured(), "08001");
        }
        return new Database(settings);
    }

    @Override
    public Admission admission() {
        return (budget, holder, deadline) -> {
            Session current = session;
            if (current == null) {
                throw new AdmissionException("No permit of budget \"" + budget + "\" can be had: " + problem);
            }
            return current.permits().acquire(budget, holder, deadline);
        };
    }

    @Override
    public NodeStatus status() {
        Dispatcher current = dispatcher;
        NodeRow row = node;
        long id = row == null ? 0 : row.id();
        if (current == null) {
            return new NodeStatus(id, false, problem, 0, 0, 0, 0, 0, 0);
        }
        return new NodeStatus(
                id,
                problem == null,
                problem,
                current.running(),
                current.delivered(),
                current.failed(),
                current.claimTimes().count(),
                current.claimTimes().percentileMillis(50),
                current.claimTimes().percentileMillis(99));
    }

    private void run() {
        while (!stopping) {
            try {
                connectAndServe();
            } catch (InterruptedException e) {
                // stop() interrupts; anybody else's interrupt begins again
            } catch (SQLException e) {
                report(Remedy.explain(e));
            } catch (RuntimeException e) {
                report(e.getCause() instanceof SQLException cause ? Remedy.explain(cause) : e.toString());
                LOG.log(Level.DEBUG, "Begins again", e);
            }
            if (!stopping) {
                pause(retry);
                retry = min(retry.multipliedBy(2), LONGEST_RETRY);
            }
        }
        close();
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void connectAndServe() throws SQLException, InterruptedException {
        Session current = session();
        Settings settings = current.settings();
        try (Connection control = current.workplace().database().openWithTimeout("control", 60)) {
            node = node == null ? null : node.on(control);
            if (node == null || !node.beat()) {
                node = NodeRow.register(control, settings.schema(), nodeName(settings));
            }
            Claim claim = new Claim(control, settings.schema(), node.id());
            Sweep sweep = new Sweep(control, settings.schema());
            problem = null;
            loggedProblem = null;
            retry = SHORTEST_RETRY;
            try {
                serve(current, control, claim, sweep);
            } finally {
                if (stopping && node != null) {
                    node.leave();
                }
            }
        }
    }

    private void serve(Session current, Connection control, Claim claim, Sweep sweep)
            throws SQLException, InterruptedException {
        Settings settings = current.settings();
        // an outage is not the death of everybody: all get the time to be heard again
        long rescueFrom = System.nanoTime() + settings.nodeTimeout().toNanos();
        long beatEvery = settings.nodeTimeout().toNanos() / 5;
        long beatAt = System.nanoTime() + beatEvery;
        while (!stopping) {
            subscribeWanted(control, settings);
            dispatcher.serve(claim, sweep, current.workplace(), beatAt);
            if (System.nanoTime() - beatAt < 0) {
                continue;
            }
            beatAt = System.nanoTime() + beatEvery;
            if (!node.beat()) {
                LOG.log(Level.WARNING, "Node {0} had been taken for dead; it goes on as a new one", node.id());
                node = null;
                return;
            }
            if (System.nanoTime() - rescueFrom >= 0) {
                long rescued = node.rescue(dispatcher.knownLeases(), settings.nodeTimeout());
                if (rescued > 0) {
                    LOG.log(Level.WARNING, "Rescued {0} jobs of nodes that are gone", rescued);
                }
            }
            current.permits().tidy();
        }
    }

    /** Configured, migrated, with everything that outlives a connection. */
    private Session session() throws SQLException {
        if (session != null) {
            return session;
        }
        Settings settings = configuration.get();
        if (!settings.configured()) {
            throw new SluiceException(notConfigured());
        }
        Database database = new Database(settings);
        Migrator migrator = new Migrator(database);
        String version = settings.migrate() ? migrator.migrate() : migrator.check();
        announce(database, version);
        Connections admissions = new Connections(database, "admission", SETTLE);
        Workplace workplace = new Workplace(
                database,
                new Connections(database, "delivery", ""),
                new Connections(database, "settlement", SETTLE),
                new Transitions(settings.schema()));
        PermitQueue permits = new PermitQueue(admissions, settings.schema(), settings.nodeTimeout(), () -> {
            NodeRow row = node;
            return row == null ? 0 : row.id();
        });
        dispatcher = new Dispatcher(settings.pollInterval());
        session = new Session(settings, workplace, admissions, permits);
        return session;
    }

    private static String notConfigured() {
        return "no database is configured yet: set the property \"url\" of the adapter, or SLUICE_URL, or PGHOST and"
                + " PGDATABASE";
    }

    private static void announce(Database database, String version) throws SQLException {
        try (Connection connection = database.open("start");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("show max_prepared_transactions")) {
            DatabaseMetaData metaData = connection.getMetaData();
            LOG.log(
                    Level.INFO,
                    "Sluice uses {0} on PostgreSQL {1}, schema {2}, version {3}",
                    metaData.getURL().replaceFirst("\\?.*", ""),
                    metaData.getDatabaseProductVersion(),
                    database.schema().name(),
                    version);
            row.next();
            if (row.getInt(1) == 0) {
                LOG.log(
                        Level.WARNING,
                        "max_prepared_transactions is 0: a handler that uses a second XA resource can never commit. Set it to"
                                + " the number of handlers that may run at once, and restart PostgreSQL");
            }
        }
    }

    /** Subscribes who asked for it, now that the queues can be made sure of. */
    private void subscribeWanted(Connection control, Settings settings) throws SQLException {
        for (Subscriber subscriber : wanted) {
            if (announced.add(subscriber)) {
                new Enqueue(settings.schema()).define(control, subscriber.queue(), subscriber.retryPolicy());
                dispatcher.subscribe(subscriber);
                LOG.log(
                        Level.INFO,
                        "Queue {0} is served: kinds {1}, leased, up to {2} at once, claims of up to {3}",
                        subscriber.queue(),
                        String.join(", ", subscriber.kinds()),
                        subscriber.concurrency(),
                        subscriber.batch());
            }
        }
    }

    private void report(String what) {
        problem = what;
        long now = System.nanoTime();
        if (!what.equals(loggedProblem) || now - loggedAt > REPEAT_PROBLEM.toNanos()) {
            loggedProblem = what;
            loggedAt = now;
            LOG.log(Level.WARNING, "Sluice delivers nothing and tries again: {0}", what);
        }
    }

    private void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            // stop() interrupts, and the loop sees it
        }
    }

    private void close() {
        Session last = session;
        if (last != null) {
            last.workplace().connections().close();
            last.workplace().settlements().close();
            last.admissions().close();
        }
        session = null;
        dispatcher = null;
        node = null;
        announced.clear();
    }

    private static String nodeName(Settings settings) {
        if (settings.get(Setting.NODE_NAME) != null) {
            return settings.get(Setting.NODE_NAME);
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
