package dev.sluice.bench.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Does something again and again on a thread of its own, at a rate that does not depend on how long it takes; what it is
 * late for is left out.
 */
public final class Ticker implements AutoCloseable {

    private final Duration period;
    private final Runnable task;
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** @param task throws nothing; an exception would end it */
    public Ticker(String name, Duration period, Runnable task) {
        this.period = period;
        this.task = task;
        thread = new Thread(this::tick, name);
        thread.setDaemon(true);
    }

    /** Begins, after one period. */
    public void start() {
        thread.start();
    }

    /** Ends, once the task that runs has ended; without effect the second time. */
    @Override
    public void close() {
        stopped.countDown();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void tick() {
        try {
            long due = System.nanoTime() + period.toNanos();
            while (!stopped.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                task.run();
                do {
                    due += period.toNanos();
                } while (due - System.nanoTime() <= 0);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
