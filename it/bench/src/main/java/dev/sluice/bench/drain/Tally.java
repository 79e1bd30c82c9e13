package dev.sluice.bench.drain;

import dev.sluice.bench.measure.Median;
import java.util.ArrayList;
import java.util.List;

/** What is known of one contender as the run goes on. */
final class Tally {

    private final List<Double> rates = new ArrayList<>();
    private double expectedRate;
    private long enqueued;
    private long done;
    private long left;
    private int largest;

    /** @param expectedRate a first guess, in jobs a second */
    Tally(double expectedRate) {
        this.expectedRate = expectedRate;
    }

    /** Notes how it went, and learns from it how large the next backlog should be. */
    void ended(Emptied backlog) {
        enqueued += backlog.jobs();
        done += backlog.done();
        left += backlog.left();
        expectedRate =
                backlog.measured() ? backlog.rate() : 2 * Math.max(expectedRate, backlog.jobs() / backlog.whole());
    }

    /** Counts a measured backlog. */
    void count(Emptied backlog) {
        rates.add(backlog.rate());
        largest = Math.max(largest, backlog.jobs());
    }

    double expectedRate() {
        return expectedRate;
    }

    /** Jobs a second of each backlog that counts. */
    List<Double> rates() {
        return rates;
    }

    /** The median of the rates; not a number without any. */
    double medianRate() {
        return Median.of(rates);
    }

    /** All jobs, those of the warm-up too. */
    long enqueued() {
        return enqueued;
    }

    long done() {
        return done;
    }

    long left() {
        return left;
    }

    /** Jobs that are neither done nor there. */
    long lost() {
        return Math.max(0, enqueued - done - left);
    }

    /** Jobs that are done and still there, or were done again. */
    long doubled() {
        return Math.max(0, done + left - enqueued);
    }

    /** The size of the largest backlog that counts. */
    int largest() {
        return largest;
    }
}
