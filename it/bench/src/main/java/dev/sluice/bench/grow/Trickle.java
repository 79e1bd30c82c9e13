package dev.sluice.bench.grow;

import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Enqueues single jobs at a steady rate, each in a transaction of its own, and times them. */
final class Trickle implements AutoCloseable {

    private static final String ENQUEUE = "/* bench:enqueue */ select sluice.enqueue(?, ?, ?)";

    /** So many that the rate is held although one flush may take long. */
    private static final int CONNECTIONS = 8;

    /** Of the jobs that should have come. */
    private static final double HELD = 0.95;

    private static final int DIGITS = 3;

    private final Payloads payloads;
    private final Duration period;
    private final Recorder micros = new Recorder(DIGITS);
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(CONNECTIONS, task -> {
        Thread daemon = new Thread(task, "trickle");
        daemon.setDaemon(true);
        return daemon;
    });
    private final List<Connection> connections = new ArrayList<>();
    private final AtomicLong next;
    private final AtomicLong enqueued = new AtomicLong();
    private volatile SQLException failure;
    private long from;

    /**
     * Enqueues nothing yet.
     *
     * @param first  number of the first job
     * @param period between two jobs
     */
    Trickle(Database database, Payloads payloads, long first, Duration period) throws SQLException {
        this.payloads = payloads;
        this.next = new AtomicLong(first);
        this.period = period;
        try {
            while (connections.size() < CONNECTIONS) {
                connections.add(database.connect(Database.QUEUE));
            }
        } catch (SQLException e) {
            closeConnections();
            throw e;
        }
    }

    /** Begins: each connection has its turn. */
    void start() throws SQLException {
        for (int turn = 0; turn < CONNECTIONS; turn++) {
            PreparedStatement enqueue = connections.get(turn).prepareStatement(ENQUEUE);
            threads.scheduleAtFixedRate(
                    () -> enqueue(enqueue),
                    period.multipliedBy(turn).toNanos(),
                    period.multipliedBy(CONNECTIONS).toNanos(),
                    TimeUnit.NANOSECONDS);
        }
    }

    private void enqueue(PreparedStatement enqueue) {
        if (failure != null) {
            return;
        }
        try {
            enqueue.setString(1, Queue.NAME);
            enqueue.setString(2, Queue.KIND);
            enqueue.setString(3, payloads.of(next.getAndIncrement()));
            long begun = System.nanoTime();
            enqueue.execute();
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
            enqueued.incrementAndGet();
        } catch (SQLException e) {
            failure = e;
        }
    }

    /** Jobs so far. */
    long enqueued() {
        return enqueued.get();
    }

    /** Times from now on. */
    void reset() {
        micros.reset();
        from = System.nanoTime();
    }

    /**
     * The times in microseconds since the last {@link #reset}.
     *
     * @throws DishonestRunException if the rate was not held
     */
    Histogram take() throws DishonestRunException {
        long due = (System.nanoTime() - from) / period.toNanos();
        Histogram taken = micros.getIntervalHistogram();
        if (failure != null) {
            throw new DishonestRunException("a job could not be enqueued: " + failure.getMessage());
        }
        if (taken.getTotalCount() < HELD * due) {
            throw new DishonestRunException("only " + taken.getTotalCount() + " of " + due
                    + " jobs were enqueued in time, so the rate was not held");
        }
        return taken;
    }

    /** Returns when nothing is enqueued any more; without effect the second time. */
    @Override
    public void close() throws SQLException, InterruptedException {
        // not interrupted: what has begun is to be counted
        threads.shutdown();
        try {
            if (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("An enqueue does not end");
            }
        } finally {
            closeConnections();
        }
    }

    private void closeConnections() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
