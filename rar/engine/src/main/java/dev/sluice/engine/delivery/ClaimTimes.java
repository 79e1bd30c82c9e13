package dev.sluice.engine.delivery;

import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * How long claims took that found a job, as the node saw it, in the last {@link #WINDOW}: what they took an hour ago says
 * nothing of how the queue is.
 */
public final class ClaimTimes {

    /** Over which time percentiles are taken, to the second. */
    public static final Duration WINDOW = Duration.ofSeconds(10);

    private static final double MICROS_PER_MILLI = 1_000;

    /** One for each second of the window, in microseconds; used again when its second is over. */
    private final Histogram[] seconds = new Histogram[(int) WINDOW.toSeconds()];

    private final long[] beganAt = new long[seconds.length];
    private long count;

    ClaimTimes() {
        for (int second = 0; second < seconds.length; second++) {
            seconds[second] = new Histogram(2);
            beganAt[second] = Long.MIN_VALUE;
        }
    }

    synchronized void record(long nanos) {
        long second = now();
        int slot = (int) Math.floorMod(second, (long) seconds.length);
        if (beganAt[slot] != second) {
            seconds[slot].reset();
            beganAt[slot] = second;
        }
        seconds[slot].recordValue(nanos / 1_000);
        count++;
    }

    private static long now() {
        return Duration.ofNanos(System.nanoTime()).toSeconds();
    }

    /** How many since the start. */
    public synchronized long count() {
        return count;
    }

    /** The percentile of the window in milliseconds, 100 for the longest; 0 without any claim. */
    public synchronized double percentileMillis(double percentile) {
        long oldest = now() - seconds.length;
        Histogram window = new Histogram(2);
        for (int slot = 0; slot < seconds.length; slot++) {
            if (beganAt[slot] > oldest) {
                window.add(seconds[slot]);
            }
        }
        return window.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }
}
