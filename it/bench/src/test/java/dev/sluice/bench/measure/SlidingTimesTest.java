package dev.sluice.bench.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The times of the last ten seconds")
class SlidingTimesTest {

    private final SlidingTimes times = new SlidingTimes();

    @Test
    @DisplayName("forget what is older, but not how often")
    void forgets() {
        times.record(500_000_000);
        times.turn();
        for (int second = 0; second < 9; second++) {
            times.record(1_000_000);
            times.turn();
            assertEquals(500, times.percentileMillis(100), 5);
        }
        times.turn();
        assertEquals(1, times.percentileMillis(100), 0.01);
        assertEquals(10, times.count());
    }

    @Test
    @DisplayName("are 0 without any")
    void none() {
        times.turn();
        assertEquals(0, times.percentileMillis(99));
    }
}
