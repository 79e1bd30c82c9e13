package dev.sluice.bench.drain;

import dev.sluice.bench.run.DishonestRunException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Threads that claim and commit, with nothing in between, until nothing is left. */
final class BareCrew implements Crew {

    /** What the engine sets for its claims. */
    static final String PLANNER = "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off"
            + " -c plan_cache_mode=force_generic_plan -c jit=off";

    private final LongAdder done = new LongAdder();
    private final AtomicReference<SQLException> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    private BareCrew() {}

    /**
     * Sets a thread to work on each connection.
     *
     * @param connections in autocommit; closed when their threads end
     */
    static BareCrew start(BareTable table, List<Connection> connections, int batch) {
        BareCrew crew = new BareCrew();
        for (Connection connection : connections) {
            Thread thread = new Thread(() -> crew.work(table, connection, batch), "bare claimer");
            thread.setDaemon(true);
            crew.threads.add(thread);
        }
        crew.threads.forEach(Thread::start);
        return crew;
    }

    private void work(BareTable table, Connection own, int batch) {
        try (Connection connection = own) {
            connection.setAutoCommit(false);
            BareClaim claim = table.claimOn(connection, batch);
            int jobs;
            do {
                jobs = claim.claim();
                connection.commit();
                done.add(jobs);
            } while (jobs > 0 && !stopped);
        } catch (SQLException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Its claims are not timed. */
    @Override
    public Progress progress() {
        return new Progress(done.sum(), 0, 0, 0, 0, 0);
    }

    @Override
    public void requireUnharmed() throws DishonestRunException {
        if (failure.get() != null) {
            throw new DishonestRunException("bare SQL failed: " + failure.get().getMessage());
        }
    }

    @Override
    public void close() {
        stopped = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
