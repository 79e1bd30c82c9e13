package dev.sluice.bench.drain;

import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What the contenders' tallies come to. */
final class DrainReport {

    private final Map<Contender, Tally> tallies;

    DrainReport(Map<Contender, Tally> tallies) {
        this.tallies = tallies;
    }

    /** The rates, their ratio, and what became of the jobs. */
    void put(Result result) {
        tallies.forEach((contender, tally) -> result.put(contender.key(), tally.medianRate(), 1));
        double fasterBare = Math.max(rate(Contender.BARE_OWN), rate(Contender.BARE_TEXTBOOK));
        result.put("ratio_bare", rate(Contender.TRANSACTIONAL_BATCH) / fasterBare, 3);
        result.put("enqueued", sum(Tally::enqueued));
        result.put("delivered", sum(Tally::done));
        result.put("left", sum(Tally::left));
        result.put("lost", sum(Tally::lost));
        result.put("doubled", sum(Tally::doubled));
    }

    /** What each backlog was like. */
    void putRounds(Result result) {
        tallies.forEach((contender, tally) -> {
            result.put(contender.key() + "_jobs", tally.largest());
            result.put(contender.key() + "_rounds", tally.rates(), 1);
        });
    }

    private double rate(Contender contender) {
        return tallies.get(contender).medianRate();
    }

    private long sum(ToLongFunction<Tally> what) {
        return tallies.values().stream().mapToLong(what).sum();
    }

    /** A bar for each contender. */
    void draw(Chart chart) {
        List<String> names = tallies.keySet().stream().map(Contender::key).toList();
        List<Double> medians = tallies.values().stream().map(Tally::medianRate).toList();
        chart.addBars("jobs/s, median of the rounds", names, Map.of("jobs/s", medians));
    }
}
