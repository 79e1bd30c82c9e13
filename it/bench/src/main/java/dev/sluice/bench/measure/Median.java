package dev.sluice.bench.measure;

import java.util.List;

/** The value in the middle, which a few that are far off do not move. */
public final class Median {

    private Median() {}

    /** Of an even number the mean of the two in the middle; not a number without any. */
    public static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
