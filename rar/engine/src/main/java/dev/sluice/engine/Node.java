package dev.sluice.engine;

import dev.sluice.api.AdmissionException;
import dev.sluice.api.NodeStatus;
import dev.sluice.api.Permit;
import dev.sluice.api.SluiceException;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.delivery.Dispatcher;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Enqueue;
import dev.sluice.engine.queue.Epochs;
import dev.sluice.engine.queue.Isolation;
import dev.sluice.engine.queue.NodeRow;
import dev.sluice.engine.queue.Sweep;
import dev.sluice.engine.recovery.InDoubt;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One start of an {@link Engine}: what its thread does until it is stopped. It connects, brings the schema up to date,
 * serves the subscribers and keeps the node alive; when the database goes away it begins again.
 */
final class Node implements Runnable {

    static final String NOT_CONFIGURED =
            "no database is configured yet: set the property \"url\" of the adapter, or SLUICE_URL, or PGHOST and PGDATABASE";

    private static final Logger LOG = System.getLogger(Node.class.getName());

    private static final Duration SHORTEST_RETRY = Duration.ofSeconds(1);

    /** Longest wait between two tries to connect, so that delivery begins soon after the database is back. */
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(10);

    /** An answer that takes longer than this, in seconds, never comes. */
    private static final int CONTROL_TIMEOUT = 60;

    private final Supplier<Settings> configuration;
    private final List<Subscriber> wanted;
    private final Neighbours neighbours;
    /** Those whose queue is made sure of. Of the thread, but for {@link #unsubscribe}. */
    private final Set<Subscriber> served = new HashSet<>();

    private final ProblemLog problems = new ProblemLog();
    private volatile boolean ending;
    private volatile boolean stopped;
    private volatile Session session;
    private volatile NodeRow row;
    /** Whether this node may take others for dead. */
    private volatile boolean judges;

    private Duration retry = SHORTEST_RETRY;

    Node(Supplier<Settings> configuration, List<Subscriber> wanted, Neighbours neighbours) {
        this.configuration = configuration;
        this.wanted = wanted;
        this.neighbours = neighbours;
    }

    /** No subscriber is served anew from now on. */
    void beginStop() {
        ending = true;
    }

    /** Ends the run soon. What still runs is for others. */
    void stop() {
        Session current = session;
        if (current != null) {
            current.dispatcher().moveOnAll();
        }
        stopped = true;
    }

    /** The subscribers have changed. */
    void lookUp() {
        Session current = session;
        if (current != null) {
            current.dispatcher().leaveServing();
        }
    }

    void wake(String queue) {
        Session current = session;
        if (current != null) {
            current.dispatcher().wake(queue);
        }
    }

    boolean unsubscribe(Subscriber subscriber, long until) throws InterruptedException {
        synchronized (served) {
            served.remove(subscriber);
        }
        Session current = session;
        return current == null || current.dispatcher().unsubscribe(subscriber, until);
    }

    Permit acquire(String budget, String holder, Duration deadline) throws InterruptedException {
        Session current = session;
        if (current == null) {
            throw new AdmissionException("No permit of budget \"" + budget + "\" can be had: " + problems.current());
        }
        return current.permits().acquire(budget, holder, deadline);
    }

    NodeStatus status() {
        Session current = session;
        long id = id();
        String problem = problems.current();
        if (current == null) {
            return new NodeStatus(id, false, problem, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1);
        }
        Dispatcher dispatcher = current.dispatcher();
        InDoubt inDoubt = problem == null ? current.inDoubtWatch().last() : InDoubt.UNKNOWN;
        return new NodeStatus(
                id,
                problem == null,
                problem == null ? warning(current) : problem,
                dispatcher.running(),
                dispatcher.stuck(),
                dispatcher.delivered(),
                dispatcher.failed(),
                dispatcher.claimTimes().count(),
                dispatcher.claimTimes().percentileMillis(50),
                dispatcher.claimTimes().percentileMillis(99),
                dispatcher.claimTimes().percentileMillis(100),
                inDoubt.count(),
                inDoubt.oldestSeconds());
    }

    /** What is wrong although jobs are delivered. */
    private String warning(Session current) {
        String warning = neighbours.problem();
        return warning == null ? current.warning() : warning;
    }

    private long id() {
        NodeRow current = row;
        return current == null ? 0 : current.id();
    }

    @Override
    public void run() {
        while (!stopped) {
            try {
                connectAndServe();
            } catch (InterruptedException e) {
                // stop() interrupts; anybody else's interrupt begins again
            } catch (SQLException e) {
                problems.report(Remedy.explain(e));
            } catch (Throwable e) {
                // Error too: without this thread the server looks well and delivers nothing
                problems.report(e.getCause() instanceof SQLException cause ? Remedy.explain(cause) : e.toString());
                LOG.log(Level.DEBUG, "Begins again", e);
            }
            if (!stopped) {
                pause(retry);
                retry = shorter(retry.multipliedBy(2), longestRetry());
            }
        }
        Session last = session;
        if (last != null) {
            last.close();
        }
    }

    /** Once the database is back, the others hear of this node before they judge. */
    private Duration longestRetry() {
        Session current = session;
        return current == null
                ? LONGEST_RETRY
                : shorter(LONGEST_RETRY, current.settings().nodeTimeout().dividedBy(2));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void connectAndServe() throws SQLException, InterruptedException {
        judges = false;
        Session current = session();
        Settings settings = current.settings();
        try (Connection control = current.workplace().database().openWithTimeout("control", CONTROL_TIMEOUT)) {
            NodeRow known = row;
            row = known == null ? null : known.on(control);
            if (row == null || !row.beat()) {
                row = NodeRow.register(control, settings.schema(), nodeName(settings), settings.nodeTimeout());
                current.workplace().connections().closeIdle();
            }
            Epochs epochs = new Epochs();
            Dispatcher.Control serving = new Dispatcher.Control(
                    new Claim(control, settings.schema(), row.id(), epochs),
                    new Sweep(control, settings.schema(), epochs),
                    new Isolation(control, settings.schema()),
                    current.maintenance());
            // whatever is wrong with our rights on the tables is known now
            serving.sweep().sweep(Set.of());
            neighbours.enter(control, settings.schema());
            serveWanted(current.dispatcher(), control, settings);
            problems.solved();
            retry = SHORTEST_RETRY;
            try {
                serve(current, control, serving);
            } finally {
                if (stopped && row != null) {
                    row.leave();
                }
            }
        }
    }

    private void serve(Session current, Connection control, Dispatcher.Control serving)
            throws SQLException, InterruptedException {
        Settings settings = current.settings();
        // an outage is not the death of everybody: all get the time to be heard again
        long judgesFrom = System.nanoTime() + settings.nodeTimeout().toNanos();
        long beatEvery = settings.nodeTimeout().toNanos() / 5;
        long beatAt = System.nanoTime() + beatEvery;
        boolean tidy = true;
        while (!stopped) {
            serveWanted(current.dispatcher(), control, settings);
            current.dispatcher().serve(serving, current.workplace(), beatAt);
            if (System.nanoTime() - beatAt < 0) {
                continue;
            }
            beatAt = System.nanoTime() + beatEvery;
            if (!row.beat()) {
                LOG.log(Level.WARNING, "Node {0} had been taken for dead; it goes on as a new one", row.id());
                row = null;
                return;
            }
            current.dispatcher().moveOnOverdue();
            judges = System.nanoTime() - judgesFrom >= 0;
            if (judges) {
                long rescued = row.rescue(current.dispatcher().knownLeases());
                if (rescued > 0) {
                    LOG.log(Level.WARNING, "Rescued {0} jobs of nodes that are gone", rescued);
                }
            }
            // in turn, so that an idle node says little
            if (tidy) {
                current.permits().tidy();
            } else {
                current.inDoubtWatch().look(control);
            }
            tidy = !tidy;
        }
    }

    /** Makes sure of the queues of those who want to be served, and serves them. */
    private void serveWanted(Dispatcher dispatcher, Connection control, Settings settings)
            throws SQLException, InterruptedException {
        for (Subscriber subscriber : wanted) {
            if (!defined(subscriber, control, settings)) {
                continue;
            }
            synchronized (served) {
                // whoever unsubscribed, or stopped us, while the queue was defined must not be served
                if (!ending && wanted.contains(subscriber) && served.add(subscriber)) {
                    dispatcher.subscribe(subscriber);
                    LOG.log(
                            Level.INFO,
                            "Queue {0} is served: {1}, {2}, up to {3} at once, claims of up to {4}",
                            subscriber.queue(),
                            subscriber.kinds().isEmpty()
                                    ? "all kinds"
                                    : "kinds " + String.join(", ", subscriber.kinds()),
                            subscriber.mode().name().toLowerCase(Locale.ROOT),
                            subscriber.concurrency(),
                            subscriber.batch());
                }
            }
        }
    }

    /** Whether the subscriber is new and its queue is there; one bad queue keeps no other from being served. */
    private boolean defined(Subscriber subscriber, Connection control, Settings settings) throws SQLException {
        synchronized (served) {
            if (ending || served.contains(subscriber)) {
                return false;
            }
        }
        try {
            new Enqueue(settings.schema()).define(control, subscriber.queue(), subscriber.retryPolicy());
            return true;
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                throw e;
            }
            LOG.log(
                    Level.WARNING,
                    "Queue {0} cannot be served yet, it is tried again: {1}",
                    subscriber.queue(),
                    Remedy.explain(e));
            return false;
        }
    }

    /** Configured, migrated, with everything that outlives a connection. */
    private Session session() throws SQLException {
        if (session != null) {
            return session;
        }
        Settings settings = configuration.get();
        if (!settings.configured()) {
            throw new SluiceException(NOT_CONFIGURED);
        }
        session = Session.open(settings, this::id, () -> judges);
        return session;
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            // stop() interrupts, and the loop sees it
        }
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
