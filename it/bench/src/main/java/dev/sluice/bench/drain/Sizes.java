package dev.sluice.bench.drain;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How many jobs a backlog has. Those who are alike get the same; most of the run's time goes to those who take several jobs
 * at once, so that their backlogs are large.
 */
final class Sizes {

    /** Jobs a second, until it is known better. */
    static final double SINGLE_GUESS = 2_000;

    static final double LISTS_GUESS = 15_000;

    /** Enqueued in a second, about. */
    private static final double ENQUEUED = 60_000;

    /** Rounds that there is to be time for. */
    private static final double ROUNDS = 3.3;

    /** Seconds of each turn in which nobody works: starts, stops, vacuum. */
    private static final double OVERHEAD = 1;

    private static final double SHORTEST_ROUND = 3;
    private static final double LISTS_PART = 0.8;

    /** Seconds that the fastest is to work at least. */
    private static final double SHORTEST_WORK = 0.4;

    /** From round to round: whoever is slower the more jobs wait is not to surprise us with the largest backlog. */
    private static final int GROWTH = 4;

    private final int most;
    private final Map<Contender, Tally> tallies;
    private Map<Contender, Integer> last = Map.of();
    private boolean grown;

    /**
     * @param most    jobs, whatever the time
     * @param tallies which say how fast each is
     */
    Sizes(int most, Map<Contender, Tally> tallies) {
        this.most = most;
        this.tallies = tallies;
    }

    /**
     * Those of the next round.
     *
     * @param seconds that the rounds of this kind may take together
     */
    Map<Contender, Integer> next(double seconds) {
        Map<Contender, Integer> jobs = new EnumMap<>(Contender.class);
        grown = true;
        for (Contender contender : tallies.keySet()) {
            int wanted = wanted(contender, seconds);
            int allowed = Math.min(wanted, GROWTH * last.getOrDefault(contender, wanted));
            grown &= 2 * allowed >= wanted;
            jobs.put(contender, allowed);
        }
        last = jobs;
        return jobs;
    }

    /** Whether those of the last round were about as large as there is time for. */
    boolean grown() {
        return grown;
    }

    private int wanted(Contender contender, double seconds) {
        double round = Math.max(SHORTEST_ROUND, seconds / ROUNDS - OVERHEAD * tallies.size());
        double part = round * (contender.lists() ? LISTS_PART : 1 - LISTS_PART);
        List<Double> rates = tallies.entrySet().stream()
                .filter(entry -> entry.getKey().lists() == contender.lists())
                .map(entry -> entry.getValue().expectedRate())
                .toList();
        double oneOfEach =
                rates.stream().mapToDouble(rate -> 1 / rate + 1 / ENQUEUED).sum();
        double fastest = rates.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        return (int) Math.min(most, Math.ceil(Math.max(part / oneOfEach, SHORTEST_WORK * fastest)));
    }
}
