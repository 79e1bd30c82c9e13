package dev.sluice.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import sun.misc.Signal;

/**
 * Ctrl-C, and the signals that mean the same, as a request instead of the end of the JVM: a shutdown hook would run beside
 * those of the servers, which would be gone before the queue has drained. The second one ends the JVM; the servers' own
 * hooks then stop them.
 */
final class StopSignal {

    private static final String[] SIGNALS = {"INT", "TERM", "HUP"};

    private final CountDownLatch received = new CountDownLatch(1);

    /** From now on the signals are requests. */
    static StopSignal listen() {
        StopSignal stop = new StopSignal();
        for (String name : SIGNALS) {
            Signal.handle(new Signal(name), stop::handle);
        }
        return stop;
    }

    private void handle(Signal signal) {
        if (received.getCount() == 0) {
            // not on this thread: the exit waits for hooks
            new Thread(() -> System.exit(128 + signal.getNumber()), "second stop signal").start();
        }
        received.countDown();
    }

    /**
     * Waits for a signal.
     *
     * @param limit how long at most; zero: for ever
     */
    void await(Duration limit) throws InterruptedException {
        if (limit.isZero()) {
            received.await();
        } else {
            received.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
