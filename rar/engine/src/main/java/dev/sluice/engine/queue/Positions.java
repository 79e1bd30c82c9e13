package dev.sluice.engine.queue;

/**
 * How far a node has claimed in one queue, for each priority, so that a claim does not walk the index entries of the
 * jobs that are gone.
 *
 * <p>The order in which positions are drawn is not the order in which they are committed: a claim therefore looks a
 * little before its last one. What is left behind even that is found by the sweep, which sets the position back.
 */
final class Positions {

    static final int PRIORITIES = 4;

    /** With 32 producers that commit up to 40 ms after their enqueue, 500 left nothing behind. */
    private static final long LOOK_BACK = 500;

    private final long[] last = new long[PRIORITIES];

    /** After which position a claim looks, for each priority. */
    Long[] after() {
        Long[] after = new Long[PRIORITIES];
        for (int priority = 0; priority < PRIORITIES; priority++) {
            after[priority] = after(priority);
        }
        return after;
    }

    private long after(int priority) {
        return Math.max(0, last[priority] - LOOK_BACK);
    }

    void claimed(int priority, long pos) {
        last[priority] = pos;
    }

    /** Goes back to a waiting job that lies behind. */
    void waiting(int priority, long pos) {
        if (pos <= after(priority)) {
            last[priority] = pos - 1;
        }
    }
}
