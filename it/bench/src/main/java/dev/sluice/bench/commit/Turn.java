package dev.sluice.bench.commit;

import dev.sluice.bench.measure.WaitingJobs.Point;

/**
 * One backlog of one handler.
 *
 * @param jobs    enqueued
 * @param first   the first look at which the handler was well under way
 * @param last    the last look at which there was more than it could do at once
 * @param seconds from the first look at which it had begun to that at which nothing was left
 */
record Turn(int jobs, Point first, Point last, double seconds) {

    /** Shorter ones say nothing: a look is a few milliseconds wide. */
    private static final double SHORTEST = 0.15;

    /** Whether the handler was at work, with a backlog, for long enough. */
    boolean measured() {
        return first != null && last != null && last.seconds() - first.seconds() >= SHORTEST;
    }

    /** Jobs between the two looks. */
    long done() {
        return first.jobs() - last.jobs();
    }

    /** Jobs a second between the two looks. */
    double rate() {
        return done() / (last.seconds() - first.seconds());
    }
}
