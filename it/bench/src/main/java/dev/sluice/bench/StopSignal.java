package dev.sluice.bench;

import sun.misc.Signal;

/**
 * Ctrl-C, and the signals that mean the same: the first interrupts the run, which then stops what it has started, in order.
 * The second ends the JVM; the servers' own hooks then stop them.
 */
final class StopSignal {

    private static final String[] SIGNALS = {"INT", "TERM", "HUP"};

    private final Thread run;
    private int number;

    private StopSignal(Thread run) {
        this.run = run;
    }

    /** Hears no signal, so the JVM does what it always does. */
    static StopSignal none() {
        return new StopSignal(Thread.currentThread());
    }

    /** From now on a signal interrupts this thread. */
    static StopSignal interrupting(Thread run) {
        StopSignal stop = new StopSignal(run);
        for (String name : SIGNALS) {
            Signal.handle(new Signal(name), stop::handle);
        }
        return stop;
    }

    private synchronized void handle(Signal signal) {
        if (number != 0) {
            // not on this thread: the exit waits for hooks
            new Thread(() -> System.exit(128 + signal.getNumber()), "second stop signal").start();
        }
        number = signal.getNumber();
        run.interrupt();
    }

    /** The status to exit with when a signal has stopped the run; 0 if none came. */
    synchronized int exitStatus() {
        return number == 0 ? 0 : 128 + number;
    }
}
