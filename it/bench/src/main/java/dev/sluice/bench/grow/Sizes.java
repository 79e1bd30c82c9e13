package dev.sluice.bench.grow;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** How many jobs are to wait, one size after the other, and how long each is looked at. */
final class Sizes {

    /** The second size. The first two are measured whatever the time. */
    static final int SECOND = 100_000;

    private static final int FIRST = 10_000;

    /** Each is so many times as large as the one before. */
    private static final int STEP = 10;

    /** Claims are judged over so many seconds, where there is the time. */
    private static final double LONGEST_LOOK = 10;

    private static final double SHORTEST_LOOK = 2;

    /** Of a run with a limit, the time for one look. */
    private static final double LOOK_PART = 8;

    private final List<Integer> all = new ArrayList<>();
    private final OptionalInt seconds;

    /**
     * @param largest the last size
     * @param seconds that a run may take; none for as long as it needs
     */
    Sizes(int largest, OptionalInt seconds) {
        this.seconds = seconds;
        for (long size = FIRST; size < largest; size *= STEP) {
            all.add((int) size);
        }
        all.add(largest);
    }

    List<Integer> all() {
        return all;
    }

    /** The seconds that each size is looked at. */
    double look() {
        return seconds.isEmpty()
                ? LONGEST_LOOK
                : Math.max(SHORTEST_LOOK, Math.min(LONGEST_LOOK, seconds.getAsInt() / LOOK_PART));
    }

    /**
     * Whether there is time for a size.
     *
     * @param elapsed seconds of the run so far
     * @param needed  seconds for filling up to that size and looking at it
     */
    boolean allow(int size, double elapsed, double needed) {
        return seconds.isEmpty() || size <= SECOND || elapsed + needed <= seconds.getAsInt();
    }
}
