package dev.sluice.bench.commit;

import dev.sluice.bench.measure.Median;
import dev.sluice.bench.measure.WalRecords;
import java.util.ArrayList;
import java.util.List;

/** What is known of one handler as the run goes on. */
final class Course {

    private static final double FIRST_GUESS = 500;

    private final List<Double> rates = new ArrayList<>();
    private double expectedRate = FIRST_GUESS;
    private long enqueued;
    private long measuredJobs;
    private WalRecords wal = WalRecords.NONE;

    /** The number of the next job. */
    long nextNumber() {
        return enqueued + 1;
    }

    /** Jobs that keep the handler busy for about so long. */
    int jobsFor(double seconds) {
        return (int) Math.ceil(expectedRate * seconds);
    }

    /** Notes what was enqueued, and learns from it how many the next backlog needs. */
    void ended(Turn turn) {
        enqueued += turn.jobs();
        expectedRate = turn.measured() ? turn.rate() : 2 * Math.max(expectedRate, turn.jobs() / turn.seconds());
    }

    /** Counts a measured turn. */
    void count(Turn turn, WalRecords records) {
        rates.add(turn.rate());
        measuredJobs += turn.done();
        wal = wal.plus(records);
    }

    /** All jobs, those before the measuring too. */
    long enqueued() {
        return enqueued;
    }

    /** Jobs a second of each turn that counts. */
    List<Double> rates() {
        return rates;
    }

    /** The median of the rates; not a number without any. */
    double medianRate() {
        return Median.of(rates);
    }

    /** Jobs of the turns that count. */
    long measuredJobs() {
        return measuredJobs;
    }

    /** What was written to the log during these. */
    WalRecords wal() {
        return wal;
    }
}
