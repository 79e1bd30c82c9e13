package dev.sluice.bench.grow;

import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.run.DishonestRunException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Enqueues single jobs at a steady rate, each in a transaction of its own, and times them. */
final class Trickle implements AutoCloseable {

    private static final String ENQUEUE = "/* bench:enqueue */ select sluice.enqueue(?, ?, ?)";

    /** Of the jobs that should have come. */
    private static final double HELD = 0.95;

    private static final int DIGITS = 3;

    private final Connection connection;
    private final PreparedStatement enqueue;
    private final Payloads payloads;
    private final Duration period;
    private final Recorder micros = new Recorder(DIGITS);
    private final ScheduledExecutorService thread;
    private volatile long next;
    private volatile SQLException failure;
    private long from;

    /**
     * Enqueues nothing yet.
     *
     * @param connection in autocommit; closed with this
     * @param first      number of the first job
     * @param period     between two jobs
     */
    Trickle(Connection connection, Payloads payloads, long first, Duration period) throws SQLException {
        this.connection = connection;
        this.enqueue = connection.prepareStatement(ENQUEUE);
        this.payloads = payloads;
        this.next = first;
        this.period = period;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, "trickle");
            daemon.setDaemon(true);
            return daemon;
        });
    }

    /** Begins. */
    void start() {
        thread.scheduleAtFixedRate(this::enqueue, 0, period.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void enqueue() {
        if (failure != null) {
            return;
        }
        try {
            enqueue.setString(1, Queue.NAME);
            enqueue.setString(2, Queue.KIND);
            enqueue.setString(3, payloads.of(next));
            long begun = System.nanoTime();
            enqueue.execute();
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begun));
            next = next + 1;
        } catch (SQLException e) {
            failure = e;
        }
    }

    /** The number of the next job. */
    long next() {
        return next;
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
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("An enqueue does not end");
            }
        } finally {
            connection.close();
        }
    }
}
