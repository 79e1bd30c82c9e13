package dev.sluice.bench.drain;

/**
 * A backlog that was emptied.
 *
 * @param jobs    enqueued
 * @param done    by those who were at work, as they say
 * @param left    rows that were there afterwards, by SQL
 * @param middle  jobs done between the looks that count, which leave out its beginning and its end
 * @param seconds between these looks
 * @param whole   seconds from the start of the workers to the last job
 */
record Emptied(int jobs, long done, long left, long middle, double seconds, double whole) {

    /** Shorter ones say nothing. */
    private static final double SHORTEST = 0.2;

    /** Whether it took long enough. */
    boolean measured() {
        return seconds >= SHORTEST;
    }

    /** Jobs a second between the looks. */
    double rate() {
        return middle / seconds;
    }
}
