package dev.sluice.engine.queue;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * From where a sweep has to look. Positions are not committed in their order, so one that is passed may still turn up; but
 * not for ever: an INSERT locks its table before it draws its position. So of all rows up to the position of this moment,
 * the mark, each can be seen now or belongs to a transaction that holds such a lock now, a writer.
 *
 * <p>For each lane two floors follow. Nothing turns up at or below {@code settled} ever again: all writers of an earlier
 * mark have ended before the look that raised it. Nothing turns up at or below {@code seen} as long as all writers of the
 * last mark are still there, be it for hours. A floor is below the first row that waits, so that none is passed by twice.
 * Belongs to one connection and one thread.
 */
final class Floors {

    /** Where a lane is: a queue and a priority of a table; a table of scheduled jobs is one lane, ordered by time. */
    record Place(String table, String queue, short priority) {}

    /** What the last look at a table found out: all up to {@code pos} can be seen, or belongs to one of the writers. */
    private record Mark(long pos, Set<String> writers) {}

    private record Floor(long settled, long seen) {}

    private static final Floor NONE = new Floor(0, 0);

    private final Map<Place, Floor> floors = new HashMap<>();
    private final Map<String, Mark> marks = new HashMap<>();

    Collection<Place> places() {
        return List.copyOf(floors.keySet());
    }

    /** 0 if nothing is known of this lane. */
    long settled(Place place) {
        return floors.getOrDefault(place, NONE).settled();
    }

    /** 0 if nothing is known of this lane. */
    long seen(Place place) {
        return floors.getOrDefault(place, NONE).seen();
    }

    /** All transactions that may have a row yet to turn up, each behind the name of its table. */
    String[] writers() {
        return marks.values().stream().flatMap(mark -> mark.writers().stream()).toArray(String[]::new);
    }

    /**
     * A look at a table has ended.
     *
     * @param mark    the position drawn last, or the time, before the look
     * @param writers who held a lock to write, before the look
     * @param places  the lanes looked at
     * @param first   the first row of a lane that waits; a lane without one has no entry
     */
    void looked(String table, long mark, List<String> writers, Collection<Place> places, Map<Place, Long> first) {
        Mark before = marks.put(table, new Mark(mark, new HashSet<>(writers)));
        if (before != null && mark < before.pos()) {
            // positions, or the clock, have gone back: what was passed by may be used again
            floors.keySet().removeIf(place -> place.table().equals(table));
            return;
        }
        // what turns up while a lane is not looked at would be below its floors later
        floors.keySet().removeIf(place -> place.table().equals(table) && !places.contains(place));
        boolean settles = before != null && writers.stream().noneMatch(before.writers()::contains);
        for (Place place : places) {
            long below = first.containsKey(place) ? first.get(place) - 1 : Long.MAX_VALUE;
            Floor floor = floors.get(place);
            long settled = floor == null ? 0 : floor.settled();
            if (settles && floor != null) {
                settled = Math.max(settled, Math.min(before.pos(), below));
            }
            floors.put(place, new Floor(settled, Math.max(settled, Math.min(mark, below))));
        }
    }
}
