package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PositionTest {

    private final Position position = new Position();

    private void claimed(long... positions) {
        Position.Reach reach = position.reach();
        for (long pos : positions) {
            position.claimed(reach, 2, pos);
        }
    }

    private void assertAfter(long after) {
        assertEquals(after, position.reach().after()[2]);
    }

    @Test
    @DisplayName("A claim looks from the first position that has not been claimed")
    void gaps() {
        claimed(1, 2, 3, 5, 6);
        assertAfter(3);
        claimed(8);
        assertAfter(3);
        claimed(4);
        assertAfter(6);
        claimed(7);
        assertAfter(8);
    }

    @Test
    @DisplayName("A position that never comes is given up after 500 more")
    void lookBack() {
        claimed(1, 3);
        claimed(501);
        assertAfter(1);
        claimed(502);
        assertAfter(3);
        claimed(10_000);
        assertAfter(9_500);
    }

    @Test
    @DisplayName("What a sweep has seen raises it, past all that was claimed behind that, or sets it back")
    void swept() {
        claimed(700, 701, 702);
        assertAfter(202);
        position.swept(2, 703, 699);
        assertAfter(702);
        position.swept(2, 401, 699);
        assertAfter(400);
        claimed(401, 402);
        assertAfter(402);
    }

    @Test
    @DisplayName("A sweep does not raise it past what may still turn up")
    void stillWritten() {
        claimed(700);
        position.swept(2, Long.MAX_VALUE, 300);
        assertAfter(300);
        position.swept(2, 900, 850);
        assertAfter(850);
        position.swept(2, 900, 1_000);
        assertAfter(899);
    }

    @Test
    @DisplayName("A claim that was under way when it was set back moves nothing")
    void underWay() {
        claimed(1_000);
        Position.Reach before = position.reach();
        position.swept(2, 11, 900);
        position.claimed(before, 2, 1_001);
        position.passed(before, 2, 2_000);
        assertAfter(10);
        position.passed(position.reach(), 2, 2_000);
        assertAfter(1_500);
        assertEquals(0, position.reach().after()[1], "each priority has its own");
    }
}
