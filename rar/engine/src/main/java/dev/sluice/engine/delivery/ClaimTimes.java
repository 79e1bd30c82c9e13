package dev.sluice.engine.delivery;

import org.HdrHistogram.ConcurrentHistogram;

/** How long claims took that found a job, as the node saw it. */
public final class ClaimTimes {

    private static final double MICROS_PER_MILLI = 1_000;

    private final ConcurrentHistogram micros = new ConcurrentHistogram(2);

    void record(long nanos) {
        micros.recordValue(nanos / 1_000);
    }

    public long count() {
        return micros.getTotalCount();
    }

    /** The percentile in milliseconds; 0 without any claim. */
    public double percentileMillis(double percentile) {
        return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }
}
