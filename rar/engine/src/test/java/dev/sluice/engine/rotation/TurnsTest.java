package dev.sluice.engine.rotation;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.EpochState.Family;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private static final long SECOND = 1_000_000_000;

    private final Turns turns = new Turns();

    private static EpochState left(long bytes, long live, long changes) {
        return new EpochState(Family.JOB, 3, false, bytes, live, 10, changes);
    }

    private boolean mayBeEmptied(EpochState state, long second) {
        turns.saw(List.of(state), second * SECOND);
        return turns.mayBeEmptied(state, second * SECOND);
    }

    @Test
    @DisplayName("A table that was left is emptied once everybody has left it, and not before")
    void farewell() {
        assertFalse(mayBeEmptied(left(8192, 0, 1), 0));
        assertFalse(mayBeEmptied(left(8192, 0, 2), 2));
        assertTrue(mayBeEmptied(left(8192, 0, 3), 3));
    }

    @Test
    @DisplayName("The time counts anew for a table that was current, or empty, in between")
    void anew() {
        assertFalse(mayBeEmptied(left(8192, 0, 1), 0));
        turns.saw(List.of(new EpochState(Family.JOB, 3, true, 8192, 0, 10, 1)), SECOND);
        assertFalse(mayBeEmptied(left(8192, 0, 1), 3));
        assertFalse(mayBeEmptied(left(0, 0, 1), 4), "it is as good as new");
        assertFalse(mayBeEmptied(left(8192, 0, 1), 6));
        assertTrue(mayBeEmptied(left(8192, 0, 1), 9));
    }

    @Test
    @DisplayName("A table with a backlog is looked at only when nothing changes in it any more")
    void backlog() {
        assertFalse(mayBeEmptied(left(8192, 1_000_000, 1), 0));
        assertFalse(mayBeEmptied(left(8192, 900_000, 2), 9));
        assertFalse(mayBeEmptied(left(8192, 900_000, 2), 18));
        assertTrue(mayBeEmptied(left(8192, 900_000, 2), 19));
        assertTrue(turns.standsStill(left(8192, 900_000, 2), 19 * SECOND));
        assertFalse(mayBeEmptied(left(8192, 900_000, 3), 20));
    }

    @Test
    @DisplayName("A table is full by its dead rows; one of scheduled jobs only if moving the others is worth it")
    void full() {
        assertFalse(Turns.isFull(new EpochState(Family.JOB, 1, true, 1, 0, Turns.MOST_DEAD, 1)));
        assertTrue(Turns.isFull(new EpochState(Family.JOB, 1, true, 1, 1_000_000, Turns.MOST_DEAD + 1, 1)));
        assertTrue(Turns.isFull(new EpochState(Family.SCHEDULED, 1, true, 1, 10, Turns.MOST_DEAD + 1, 1)));
        assertFalse(Turns.isFull(new EpochState(Family.SCHEDULED, 1, true, 1, 1_000_000, Turns.MOST_DEAD + 1, 1)));
    }
}
