package dev.sluice.bench.measure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How long something took in the last ten seconds. */
public final class SlidingTimes {

    private static final int SECONDS = 10;
    private static final int DIGITS = 2;
    private static final double MICROS_PER_MILLI = 1_000;

    private final Recorder recorder = new Recorder(DIGITS);
    private final Deque<Histogram> last = new ArrayDeque<>();
    private final AtomicLong count = new AtomicLong();

    /** From any thread. */
    public void record(long nanos) {
        count.incrementAndGet();
        recorder.recordValue(Math.max(0, nanos / 1_000));
    }

    /** A second has passed. */
    public synchronized void turn() {
        Histogram second = recorder.getIntervalHistogram();
        last.add(second);
        if (last.size() > SECONDS) {
            last.remove();
        }
    }

    /** How many there were since the beginning. */
    public long count() {
        return count.get();
    }

    /** In milliseconds; 0 without any. */
    public synchronized double percentileMillis(double percentile) {
        Histogram all = new Histogram(DIGITS);
        last.forEach(all::add);
        return all.getTotalCount() == 0 ? 0 : all.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }
}
