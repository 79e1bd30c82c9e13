package dev.sluice.engine.rotation;

import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.EpochState.Family;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides whose turn it is, from how the tables are and for how long they have been so. */
final class Turns {

    /** So many, a claim that begins at the start of the table is still a matter of milliseconds. */
    static final long MOST_DEAD = 40_000;

    /** After this time only sweeps, and claims of what waits there, look into an epoch that was left. */
    static final Duration FAREWELL = Duration.ofSeconds(3);

    /** An epoch that nothing is claimed from for this long does not become empty by itself. */
    static final Duration STANDSTILL = Duration.ofSeconds(10);

    /** So many rows are moved although their table is not needed yet. */
    static final long FEW_LIVE = 10_000;

    private record Table(Family family, int epoch) {}

    /** How long a table has been left, and how long nothing has changed in it; in {@link System#nanoTime}. */
    private record Course(long leftAt, long changes, long changedAt) {}

    private final Map<Table, Course> courses = new HashMap<>();

    /** Takes note of how the tables are now. */
    synchronized void saw(List<EpochState> states, long now) {
        for (EpochState state : states) {
            Table table = new Table(state.family(), state.epoch());
            if (state.current() || state.bytes() == 0) {
                courses.remove(table);
                continue;
            }
            Course before = courses.get(table);
            courses.put(
                    table,
                    before == null
                            ? new Course(now, state.changes(), now)
                            : before.changes() == state.changes()
                                    ? before
                                    : new Course(before.leftAt(), state.changes(), now));
        }
    }

    /** Whether it is time to try to empty this table. */
    synchronized boolean mayBeEmptied(EpochState state, long now) {
        Course course = courses.get(new Table(state.family(), state.epoch()));
        return course != null
                && now - course.leftAt() >= FAREWELL.toNanos()
                // the statistics may be wrong, but not for ever
                && (state.live() < FEW_LIVE || standsStill(state, now));
    }

    /** Whether the rows of this table keep it, and do not become fewer. */
    synchronized boolean standsStill(EpochState state, long now) {
        Course course = courses.get(new Table(state.family(), state.epoch()));
        return course != null && now - course.changedAt() >= STANDSTILL.toNanos();
    }

    /** Whether its dead rows have piled up. */
    static boolean isFull(EpochState state) {
        // what is scheduled is moved with each turn, so that has to be worth it
        return state.dead() > MOST_DEAD && (state.family() == Family.JOB || state.dead() > state.live());
    }
}
