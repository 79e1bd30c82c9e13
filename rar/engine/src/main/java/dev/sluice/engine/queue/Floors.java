package dev.sluice.engine.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * From where a sweep has to look. Positions are not committed in their order, so one that is passed may still turn up; but
 * only where somebody wrote it: an INSERT locks its table before it draws its position. So of all rows up to the position of
 * this moment, the mark, each can be seen now or belongs to a transaction that holds such a lock now, a writer. And one that
 * was no writer at the look before has written behind the mark of that look.
 *
 * <p>So it is enough to look from where nothing waited, or from where the earliest of the writers began that have ended
 * since. One that stays for hours costs nothing. Belongs to one connection and one thread.
 */
final class Floors {

    /** Where a lane is: a queue and a priority of a table; a table of scheduled jobs is one lane, ordered by time. */
    record Place(String table, String queue, short priority) {}

    /** A transaction that holds a lock to write, and a position up to which it has written nothing. */
    record Writer(String name, long begunAfter) {}

    private record Look(long mark, Map<String, Writer> writers) {}

    private final Map<Place, Long> floors = new HashMap<>();
    private final Map<String, Look> looks = new HashMap<>();

    List<Place> places() {
        return List.copyOf(floors.keySet());
    }

    /** Nothing waited at or below it at the last look; 0 if nothing is known of this lane. */
    long floor(Place place) {
        return floors.getOrDefault(place, 0L);
    }

    /** Everything at or below it could be seen at the last look at this table: who still writes has begun behind it. */
    long writtenUpTo(String table) {
        Look look = looks.get(table);
        return look.writers().values().stream().mapToLong(Writer::begunAfter).reduce(look.mark(), Math::min);
    }

    /** Who wrote at the last look at any table. */
    List<Writer> writers() {
        List<Writer> writers = new ArrayList<>();
        looks.values().forEach(look -> writers.addAll(look.writers().values()));
        return writers;
    }

    /**
     * A look at a table has ended.
     *
     * @param mark    the position drawn last, or the time, before the look
     * @param writers who held a lock to write, before the look, each behind the name of the table
     * @param places  the lanes looked at
     * @param first   the first row of a lane that waits; a lane without one has no entry
     * @return false if positions, or the clock, have gone back, so that nothing is known of this table any more
     */
    boolean looked(String table, long mark, List<String> writers, Collection<Place> places, Map<Place, Long> first) {
        Look before = looks.get(table);
        boolean goneBack = before != null && mark < before.mark();
        Map<String, Writer> writing = new HashMap<>();
        for (String name : writers) {
            Writer known = before == null ? null : before.writers().get(name);
            long begunAfter = before == null || goneBack ? 0 : before.mark();
            writing.put(name, known == null || goneBack ? new Writer(name, begunAfter) : known);
        }
        looks.put(table, new Look(mark, writing));
        // what turns up while a lane is not looked at would be below its floor later
        floors.keySet().removeIf(place -> place.table().equals(table) && (goneBack || !places.contains(place)));
        if (!goneBack) {
            places.forEach(place ->
                    floors.put(place, Math.min(mark, first.containsKey(place) ? first.get(place) - 1 : mark)));
        }
        return !goneBack;
    }
}
