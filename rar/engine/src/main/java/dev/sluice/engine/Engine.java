package dev.sluice.engine;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.NodeStatus;
import dev.sluice.api.Operations;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.delivery.Subscriber;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * A server's part in the queue. Can be started and stopped any number of times; each time it is a new {@link Node}. Who
 * subscribes is served from when the database is there, and again after every outage.
 */
public final class Engine implements Operations {

    private static final Logger LOG = System.getLogger(Engine.class.getName());

    /** What the thread is given to end and to sign off, however long was waited for jobs. */
    private static final Duration SIGN_OFF = Duration.ofSeconds(5);

    private final Supplier<Settings> configuration;
    private final Neighbours neighbours;
    private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();
    /** Null while it is stopped. */
    private volatile Node node;

    private Thread thread;

    /** @param configuration asked again until it names a database, since it may come late */
    public Engine(Supplier<Settings> configuration) {
        this(configuration, null);
    }

    /**
     * @param configuration asked again until it names a database, since it may come late
     * @param origin        where the code of this adapter is from, for a warning when there is another one in this JVM that
     *                      uses the same schema; null without one
     */
    public Engine(Supplier<Settings> configuration, String origin) {
        this.configuration = configuration;
        this.neighbours = new Neighbours(origin);
    }

    /** Starts; without effect if it runs. */
    public synchronized void start() {
        if (node != null) {
            return;
        }
        node = new Node(configuration, subscribers, neighbours);
        thread = new Thread(node, "sluice");
        thread.setDaemon(true);
        // whoever starts us may be any application: what we load is our own
        thread.setContextClassLoader(Engine.class.getClassLoader());
        thread.start();
    }

    /**
     * Stops claiming, waits for what runs, signs the node off.
     *
     * @param longest how long to wait in all; what still runs then is ended and put back for other nodes
     */
    public synchronized void stop(Duration longest) throws InterruptedException {
        if (node == null) {
            return;
        }
        long until = System.nanoTime() + longest.toNanos();
        Node stopped = node;
        stopped.beginStop();
        for (Subscriber subscriber : subscribers) {
            if (!stopped.unsubscribe(subscriber, until)) {
                LOG.log(Level.WARNING, "Queue {0}: jobs still run at the stop", subscriber.queue());
            }
        }
        stopped.stop();
        thread.interrupt();
        thread.join(Math.max(
                SIGN_OFF.toMillis(), Duration.ofNanos(until - System.nanoTime()).toMillis()));
        neighbours.leave();
        node = null;
        thread = null;
    }

    /** Delivers to this subscriber from now on, or from when the database is there. */
    public void subscribe(Subscriber subscriber) {
        subscribers.add(subscriber);
        Node current = node;
        if (current != null) {
            current.lookUp();
        }
    }

    /**
     * Ends delivery to this subscriber.
     *
     * @return false if something still runs there after this time
     */
    public boolean unsubscribe(Subscriber subscriber, Duration longest) throws InterruptedException {
        subscribers.remove(subscriber);
        Node current = node;
        return current == null || current.unsubscribe(subscriber, System.nanoTime() + longest.toNanos());
    }

    /** There are new jobs in this queue, committed on this node. */
    public void wake(String queue) {
        Node current = node;
        if (current != null) {
            current.wake(queue);
        }
    }

    /**
     * The database; there may be no server that answers.
     *
     * @throws SQLException if none is configured
     */
    public Database database() throws SQLException {
        Settings settings = configuration.get();
        if (!settings.configured()) {
            throw new SQLException(Node.NOT_CONFIGURED, "08001");
        }
        return new Database(settings);
    }

    @Override
    public Admission admission() {
        return (budget, holder, deadline) -> {
            Node current = node;
            if (current == null) {
                throw new AdmissionException(
                        "No permit of budget \"" + budget + "\" can be had: the adapter is stopped");
            }
            return current.acquire(budget, holder, deadline);
        };
    }

    @Override
    public NodeStatus status() {
        Node current = node;
        return current == null
                ? new NodeStatus(0, false, "the adapter is stopped", 0, 0, 0, 0, 0, 0, 0, 0, -1, -1)
                : current.status();
    }
}
