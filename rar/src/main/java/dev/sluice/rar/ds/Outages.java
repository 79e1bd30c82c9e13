package dev.sluice.rar.ds;

/**
 * When a connection of the pool was last found broken. As a rule they break together, and to ask each that idled would cost
 * its answer's timeout again.
 */
final class Outages {

    private volatile boolean any;
    private volatile long last;

    /** A connection was found broken. */
    void happened() {
        last = System.nanoTime();
        any = true;
    }

    /** @param moment of {@link System#nanoTime()} */
    boolean since(long moment) {
        return any && last - moment > 0;
    }
}
