package dev.sluice.bench.pin;

import java.util.List;

/** The middle of some numbers. */
final class Median {

    private Median() {}

    /** The mean of the two in the middle if there are as many on both sides; not a number without any. */
    static double of(List<Double> numbers) {
        List<Double> sorted = numbers.stream().sorted().toList();
        int middle = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
