package dev.sluice.bench.pin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.bench.measure.Sample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stretch of a run")
class ClaimWindowTest {

    /** A sample a second; the percentile is the second, or what is not there. */
    private static List<Sample> samples(Double... instead) {
        return IntStream.rangeClosed(1, 60)
                .mapToObj(second -> {
                    Double value = second <= instead.length ? instead[second - 1] : Double.valueOf(second);
                    return new Sample(second, "", 0L, value, value, value, 0L, 0L, 0L, 0L, 0.0);
                })
                .toList();
    }

    private static List<Double> readings(double from, double to, List<Sample> samples) {
        return new ClaimWindow(from, to).readings(samples, Sample::claimP99Millis);
    }

    @Test
    @DisplayName("is seen at the end of each ten seconds")
    void tenths() {
        assertEquals(List.of(15.0, 25.0, 35.0), readings(5, 40, samples()));
    }

    @Test
    @DisplayName("that is shorter is seen at its end")
    void brief() {
        assertEquals(List.of(9.0), readings(5, 9, samples()));
        assertEquals(List.of(), readings(9, 9, samples()));
    }

    @Test
    @DisplayName("in which nobody answered for a moment is seen by what was said before")
    void silence() {
        assertEquals(List.of(3.0), readings(0, 5, samples(1.0, 2.0, 3.0, null, null)));
    }

    @Test
    @DisplayName("in which no claim has ended counts as ten seconds, not as nothing")
    void standstill() {
        assertEquals(List.of(10_000.0), readings(0, 3, samples(0.0, 0.0, 0.0)));
        assertEquals(List.of(10_000.0), readings(0, 3, samples(null, null, null)));
    }
}
