package dev.sluice.engine.queue;

/**
 * How far a node has claimed of one queue in one epoch, for each priority, so that a claim does not walk the index entries
 * of the jobs that are gone. May be used by several claimers at once.
 *
 * <p>The order in which positions are drawn is not the order in which they are committed: a claim therefore looks a
 * little before its last one. What is left behind even that is found by the sweep, which sets the position back.
 */
final class Position {

    static final int PRIORITIES = 4;

    /** With 32 producers that commit up to 40 ms after their enqueue, 500 left nothing behind. */
    private static final long LOOK_BACK = 500;

    private final long[] last = new long[PRIORITIES];
    /** Nothing that waits is at or below it, as far as the last sweep could see. */
    private final long[] floor = new long[PRIORITIES];

    private long setBack;

    /**
     * From where a claim looks.
     *
     * @param after   the position behind which it looks, for each priority
     * @param setBack how often the position had been set back then
     */
    record Reach(long[] after, long setBack) {}

    synchronized Reach reach() {
        long[] after = new long[PRIORITIES];
        for (int priority = 0; priority < PRIORITIES; priority++) {
            after[priority] = after(priority);
        }
        return new Reach(after, setBack);
    }

    private long after(int priority) {
        return Math.max(floor[priority], last[priority] - LOOK_BACK);
    }

    /** A claim that looked from there brought this job. */
    synchronized void claimed(Reach from, int priority, long pos) {
        // one that was under way when the position was set back has not seen what waits there
        if (from.setBack() == setBack) {
            last[priority] = Math.max(last[priority], pos);
        }
    }

    /** A sweep has seen nothing that waits at or below this position, but perhaps something right behind it. */
    synchronized void swept(int priority, long nothingUpTo) {
        if (nothingUpTo < after(priority)) {
            last[priority] = nothingUpTo;
            setBack++;
        }
        floor[priority] = nothingUpTo;
    }
}
