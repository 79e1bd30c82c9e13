package dev.sluice.bench.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What is known of a contender")
class TallyTest {

    private static final double GUESS = 100;

    private final Tally tally = new Tally(GUESS);

    private static Emptied emptied(int jobs, long done, long left, double seconds) {
        return new Emptied(jobs, done, left, done, seconds, seconds);
    }

    @Test
    @DisplayName("has the median of the backlogs that count")
    void median() {
        tally.count(emptied(1_000, 1_000, 0, 1));
        tally.count(emptied(9_000, 9_000, 0, 1));
        tally.count(emptied(4_000, 4_000, 0, 2));

        assertEquals(List.of(1_000.0, 9_000.0, 2_000.0), tally.rates());
        assertEquals(2_000, tally.medianRate());
        assertEquals(9_000, tally.largest());
    }

    @Test
    @DisplayName("expects the rate of the last backlog, and twice as much where that was too short to measure")
    void expects() {
        tally.ended(emptied(1_000, 1_000, 0, 2));
        assertEquals(500, tally.expectedRate());

        tally.ended(emptied(1_000, 1_000, 0, 0.1));
        assertEquals(20_000, tally.expectedRate());
    }

    @Test
    @DisplayName("counts as lost what is neither done nor there, and as doubled what is both")
    void lostAndDoubled() {
        tally.ended(emptied(1_000, 1_000, 0, 1));
        assertEquals(0, tally.lost());
        assertEquals(0, tally.doubled());

        tally.ended(emptied(1_000, 997, 0, 1));
        assertEquals(3, tally.lost());

        Tally other = new Tally(GUESS);
        other.ended(emptied(1_000, 1_000, 2, 1));
        assertEquals(2, other.doubled());
        assertEquals(0, other.lost());
    }
}
