package dev.sluice.bench.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The sizes of a round's backlogs")
class SizesTest {

    private static Sizes sizes(int most) {
        Map<Contender, Tally> tallies = new EnumMap<>(Contender.class);
        for (Contender contender : Contender.values()) {
            tallies.put(contender, new Tally(contender.lists() ? 20_000 : 3_000));
        }
        return new Sizes(most, tallies);
    }

    private static Map<Contender, Integer> sizes(int most, double seconds) {
        return sizes(most).next(seconds);
    }

    @Test
    @DisplayName("are the same for all who are alike")
    void alike() {
        Set<Integer> lists = new TreeSet<>();
        Set<Integer> singles = new TreeSet<>();
        sizes(500_000, 300).forEach((contender, jobs) -> (contender.lists() ? lists : singles).add(jobs));

        assertEquals(1, lists.size());
        assertEquals(1, singles.size());
    }

    @Test
    @DisplayName("are no larger than asked, and reach that where there is the time")
    void most() {
        assertEquals(500_000, sizes(500_000, 900).get(Contender.BARE_OWN));
        assertTrue(sizes(500_000, 60).get(Contender.BARE_OWN) < 100_000);
    }

    @Test
    @DisplayName("grow by a factor from round to round, until they are as large as there is the time for")
    void growth() {
        Sizes sizes = sizes(500_000);
        int first = sizes.next(30).get(Contender.BARE_OWN);
        assertTrue(sizes.grown());

        assertEquals(4 * first, sizes.next(900).get(Contender.BARE_OWN));
        assertFalse(sizes.grown());

        assertEquals(16 * first, sizes.next(900).get(Contender.BARE_OWN));
        sizes.next(900);
        sizes.next(900);
        assertTrue(sizes.grown());
    }

    @Test
    @DisplayName("keep everybody busy for long enough to be measured, however short the run")
    void least() {
        assertTrue(sizes(500_000, 1).get(Contender.BARE_OWN) >= 0.3 * 20_000);
        assertTrue(sizes(500_000, 1).get(Contender.LEASED_SINGLE) >= 0.3 * 3_000);
    }
}
