package dev.sluice.engine.queue;

import java.util.BitSet;

/**
 * How far a node has claimed of one queue in one epoch, for each priority, so that a claim does not walk the index entries
 * of the jobs that are gone. May be used by several claimers at once.
 *
 * <p>The order in which positions are drawn is not the order in which they are committed: a claim therefore looks from a
 * little before its last one, but for what is known to have been claimed there. What is left behind even that is found by
 * the sweep, which sets the position back.
 */
final class Position {

    static final int PRIORITIES = 4;

    /** With 32 producers that commit up to 40 ms after their enqueue, 500 left nothing behind. */
    private static final int LOOK_BACK = 500;

    private final Track[] tracks = new Track[PRIORITIES];
    private long setBack;

    Position() {
        for (int priority = 0; priority < PRIORITIES; priority++) {
            tracks[priority] = new Track();
        }
    }

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
            after[priority] = tracks[priority].after;
        }
        return new Reach(after, setBack);
    }

    /** A claim that looked from there brought this job. */
    synchronized void claimed(Reach from, int priority, long pos) {
        // one that was under way when the position was set back has not seen what waits there
        if (from.setBack() == setBack) {
            tracks[priority].claimed(pos);
        }
    }

    /** A claim that looked from there has found all that there was up to this position. */
    synchronized void passed(Reach from, int priority, long pos) {
        if (from.setBack() == setBack) {
            tracks[priority].reached(pos);
        }
    }

    /**
     * What a sweep has seen.
     *
     * @param first       the position of the first job that waits
     * @param writtenUpTo the position up to which none can turn up any more
     */
    synchronized void swept(int priority, long first, long writtenUpTo) {
        Track track = tracks[priority];
        if (first <= track.after) {
            tracks[priority] = new Track();
            tracks[priority].skip(first - 1);
            setBack++;
        } else {
            track.skip(Math.min(first - 1, writtenUpTo));
        }
    }

    /** One priority. */
    private static final class Track {

        /** Claims look behind it. */
        private long after;
        /** Which of the positions behind it have been claimed; the first bit is that of the next one. */
        private BitSet claimed = new BitSet();

        private void claimed(long pos) {
            if (pos <= after) {
                return;
            }
            reached(pos);
            claimed.set((int) (pos - after - 1));
            skip(after + claimed.nextClearBit(0));
        }

        /** All before the last {@link #LOOK_BACK} positions is behind us. */
        private void reached(long pos) {
            skip(pos - LOOK_BACK);
        }

        private void skip(long to) {
            if (to > after) {
                int by = (int) Math.min(to - after, claimed.length());
                claimed = claimed.get(by, Math.max(by, claimed.length()));
                after = to;
                // claimed before it was known that nothing else waits there
                int next = claimed.nextClearBit(0);
                if (next > 0) {
                    claimed = claimed.get(next, Math.max(next, claimed.length()));
                    after += next;
                }
            }
        }
    }
}
