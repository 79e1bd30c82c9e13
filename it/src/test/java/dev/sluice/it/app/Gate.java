package dev.sluice.it.app;

/** The advisory lock by which a test holds handlers back: while it has the lock alone, they wait for a share. */
public final class Gate {

    public static final long KEY = 4711;

    private Gate() {}
}
