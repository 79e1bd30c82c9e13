package dev.sluice.bench.load;

/**
 * A job that a producer is to enqueue.
 *
 * @param queue           its queue
 * @param number          in that queue, from 1
 * @param priority        0 (urgent) to 3 (low)
 * @param delayMillis     how long it may not run yet, in ms
 * @param fails           whether its handler is to fail the first time
 * @param commitLagMillis how long after the enqueue its producer commits, in ms
 */
public record PlannedJob(
        String queue, long number, int priority, int delayMillis, boolean fails, int commitLagMillis) {}
