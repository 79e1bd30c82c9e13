package dev.sluice.bench.queue;

import dev.sluice.bench.measure.SlidingTimes;
import dev.sluice.bench.measure.Ticker;
import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Workers that look for jobs by themselves, each on a connection of its own: round by round, with a pause after an empty one. */
final class RoundWorkers implements QueueNode {

    /** Claims, does and finishes what there is. */
    @FunctionalInterface
    interface Round {
        /** @return how many jobs were done */
        int run(Connection connection, String queue, RoundWorkers workers) throws SQLException, InterruptedException;
    }

    private static final long PAUSE_MILLIS = 50;
    private static final long STOP_LIMIT_MILLIS = 5_000;

    private final Database database;
    private final Round round;
    private final int workMillis;
    private final SlidingTimes claims = new SlidingTimes();
    private final Ticker seconds = new Ticker("seconds of claims", Duration.ofSeconds(1), claims::turn);
    private final AtomicLong delivered = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);

    private RoundWorkers(NodePlan plan, Round round) {
        this.database = plan.database();
        this.round = round;
        this.workMillis = plan.workMillis();
        plan.workersOfQueues().forEach((queue, number) -> {
            for (int worker = 0; worker < number; worker++) {
                threads.add(new Thread(() -> work(queue), "worker of " + queue));
            }
        });
    }

    static RoundWorkers start(NodePlan plan, Round round) {
        RoundWorkers workers = new RoundWorkers(plan, round);
        workers.seconds.start();
        for (Thread thread : workers.threads) {
            thread.setDaemon(true);
            thread.start();
        }
        return workers;
    }

    /** A claim that found a job took from then until now. */
    void claimed(long sinceNanos) {
        claims.record(System.nanoTime() - sinceNanos);
    }

    /** What a transaction takes beside its writes. */
    void spend() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(workMillis);
    }

    private void work(String queue) {
        try (Connection connection = database.connect(Database.QUEUE, "sluice-bench worker", "")) {
            while (stopping.getCount() > 0) {
                int done = round.run(connection, queue, this);
                delivered.addAndGet(done);
                if (done == 0) {
                    stopping.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (SQLException e) {
            System.getLogger(RoundWorkers.class.getName()).log(System.Logger.Level.ERROR, "A worker has ended", e);
        } catch (InterruptedException e) {
            // closed
        }
    }

    @Override
    public Workforce.Progress progress() {
        return new Workforce.Progress(
                delivered.get(),
                0,
                claims.count(),
                claims.percentileMillis(50),
                claims.percentileMillis(99),
                claims.percentileMillis(100));
    }

    @Override
    public void close() {
        stopping.countDown();
        seconds.close();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_LIMIT_MILLIS);
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
        }
    }
}
