package dev.sluice.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Asks for three reports in the same moment, and again as soon as those three have ended. */
final class ReportAsker implements AutoCloseable {

    private static final int AT_ONCE = 3;
    private static final Set<String> RUNNING = Set.of("STARTING", "STARTED", "STOPPING");
    private static final long POLL_MILLIS = 200;
    private static final long PAUSE_AFTER_PROBLEM_MILLIS = 1_000;

    private final SampleApi api;
    private final Thread thread = new Thread(this::askAgainAndAgain, "report asker");
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile String problem;

    ReportAsker(SampleApi api) {
        this.api = api;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Asks for no more; those that run go on. */
    void stopAsking() {
        stopped.countDown();
    }

    /** Waits for the reports that run after {@link #stopAsking} and returns whether they have all ended. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        thread.join(Math.max(1, limit.toMillis()));
        return !thread.isAlive();
    }

    /** Asks for no more and forgets those that run. */
    @Override
    public void close() {
        stopAsking();
        thread.interrupt();
    }

    /** Reports that completed. */
    long done() {
        return done.get();
    }

    /** Reports that ended in another way. */
    long failed() {
        return failed.get();
    }

    /** Why the last question was not answered, or how the last failed report ended; null if all went well. */
    String problem() {
        return problem;
    }

    private void askAgainAndAgain() {
        try {
            while (stopped.getCount() > 0) {
                try {
                    awaitAll(api.startReports(AT_ONCE));
                } catch (IOException e) {
                    problem = e.getMessage();
                    stopped.await(PAUSE_AFTER_PROBLEM_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAll(List<Long> runs) throws IOException, InterruptedException {
        List<Long> running = new ArrayList<>(runs);
        while (!running.isEmpty()) {
            Thread.sleep(POLL_MILLIS);
            for (Long run : List.copyOf(running)) {
                String status = api.reportStatus(run);
                if (status.equals("COMPLETED")) {
                    done.incrementAndGet();
                    running.remove(run);
                } else if (!RUNNING.contains(status)) {
                    failed.incrementAndGet();
                    problem = "report run " + run + " ended as " + status;
                    running.remove(run);
                }
            }
        }
    }
}
