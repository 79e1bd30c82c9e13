package dev.sluice.bench.load;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Enqueues as applications do: begin, write a business row, enqueue, commit a while after. Each job has its time, whether or
 * not those before it are done; who is late hurries, and {@link #secondsBehind} says how late it is.
 */
public final class Producers implements AutoCloseable {

    /** Puts a job into the queue, in the transaction of the connection. */
    @FunctionalInterface
    public interface Enqueuing {
        void enqueue(Connection connection, PlannedJob job, String payload) throws SQLException;
    }

    private static final String BUSINESS =
            "/* bench:business */ insert into bench.business (number, queue) values (?, ?)";

    private final Database database;
    private final Enqueuing enqueuing;
    private final JobPlan plan;
    private final Payloads payloads;
    private final double nanosBetween;
    private final long first;
    private final AtomicLong next;
    private final AtomicLong committed = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile long begun;
    /** What is due later is not enqueued, what is due earlier is. */
    private volatile long end = Long.MAX_VALUE;

    private volatile Exception failure;

    /**
     * @param first  the place of the first job; those before it are somebody else's
     * @param number of threads, each with a connection
     * @param rate   jobs a second
     */
    public Producers(
            Database database, Enqueuing enqueuing, JobPlan plan, Payloads payloads, long first, int number, int rate) {
        this.database = database;
        this.enqueuing = enqueuing;
        this.plan = plan;
        this.payloads = payloads;
        this.first = first;
        this.next = new AtomicLong(first);
        this.nanosBetween = 1e9 / rate;
        for (int thread = 1; thread <= number; thread++) {
            threads.add(new Thread(this::produce, "producer " + thread));
        }
    }

    /** Begins, once. */
    public void start() {
        begun = System.nanoTime();
        for (Thread thread : threads) {
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** How late the next job is, in seconds; 0 or less if it is in time. */
    public double secondsBehind() {
        return (System.nanoTime() - due(next.get())) / 1e9;
    }

    /** Why a producer has given up; null if none has. */
    public Exception failure() {
        return failure;
    }

    /**
     * Enqueues what is due by now, and then no more.
     *
     * @return how many jobs were enqueued in all, with the first place and those behind it
     */
    public long stop() throws InterruptedException {
        end = System.nanoTime() - begun;
        stopping.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return committed.get();
    }

    /** Ends the threads, whatever they do. */
    @Override
    public void close() {
        end = 0;
        stopping.countDown();
        threads.forEach(Thread::interrupt);
    }

    private long due(long place) {
        return begun + (long) ((place - first) * nanosBetween);
    }

    private void produce() {
        try (Connection connection = database.connect(Database.QUEUE, "sluice-bench producer", "")) {
            connection.setAutoCommit(false);
            try (PreparedStatement business = connection.prepareStatement(BUSINESS)) {
                for (long place = next.getAndIncrement(); awaitDue(place); place = next.getAndIncrement()) {
                    produce(connection, business, plan.of(place));
                }
            }
        } catch (SQLException e) {
            failure = e;
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Whether the job is to be enqueued; when it is time. */
    private boolean awaitDue(long place) throws InterruptedException {
        stopping.await(due(place) - System.nanoTime(), TimeUnit.NANOSECONDS);
        return due(place) - begun <= end;
    }

    private void produce(Connection connection, PreparedStatement business, PlannedJob job)
            throws SQLException, InterruptedException {
        enqueue(connection, business, job);
        TimeUnit.MILLISECONDS.sleep(job.commitLagMillis());
        connection.commit();
        committed.incrementAndGet();
    }

    /** Does the same for the job with this place, on a connection and in a transaction of the caller's. */
    public void enqueue(Connection connection, long place) throws SQLException {
        try (PreparedStatement business = connection.prepareStatement(BUSINESS)) {
            enqueue(connection, business, plan.of(place));
        }
    }

    private void enqueue(Connection connection, PreparedStatement business, PlannedJob job) throws SQLException {
        business.setLong(1, job.number());
        business.setString(2, job.queue());
        business.executeUpdate();
        enqueuing.enqueue(connection, job, payloads.of(job));
    }
}
