package dev.sluice.bench.pin;

import dev.sluice.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A stretch of the run, seen by its ten-second percentiles: what nodes said at the end of each ten seconds. */
record ClaimWindow(double from, double to) {

    private static final double SECONDS = 10;

    /** A claim that none has ended in ten seconds, though jobs came, is longer than that. */
    private static final double NONE_ENDED_MILLIS = SECONDS * 1_000;

    /** At each tenth second; one shorter than that is seen at its end. */
    List<Double> readings(List<Sample> samples, Function<Sample, Double> percentile) {
        List<Double> readings = new ArrayList<>();
        for (double at = from + SECONDS; at <= to; at += SECONDS) {
            readings.add(reading(samples, at, percentile));
        }
        if (readings.isEmpty() && to > from) {
            readings.add(reading(samples, to, percentile));
        }
        return readings;
    }

    /** The last value that was seen before that time; the node may have been too busy to answer. */
    private double reading(List<Sample> samples, double at, Function<Sample, Double> percentile) {
        Double last = null;
        for (Sample sample : samples) {
            Double value = percentile.apply(sample);
            if (value != null && sample.seconds() > from && sample.seconds() <= at) {
                last = value;
            }
        }
        return last == null || last == 0 ? NONE_ENDED_MILLIS : last;
    }
}
