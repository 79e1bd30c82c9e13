package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds where jobs wait, also those that claims have left behind, and tells the claims. One statement moves the jobs that
 * are due, looks, and says how the tables are. Belongs to one connection and one thread.
 */
public final class Sweep {

    /**
     * What a sweep found.
     *
     * @param waiting    queues in which a job waits that may run together with others
     * @param alone      lanes in which a job waits that has to be claimed by itself
     * @param moreAreDue whether there were more jobs due than it moved
     * @param taken      lanes in which a transaction has taken some of the oldest, a living one or one that was rolled back,
     *                   each with a position that is below them
     * @param epochs     how the tables are that are used in turn
     */
    public record Findings(
            Set<String> waiting, Set<Lane> alone, boolean moreAreDue, Map<Lane, Long> taken, List<EpochState> epochs) {}

    private static final int MOST_PROMOTED = 1_000;

    private static final String SCHEDULED = "scheduled_";

    private static final String JOB = "job_";

    private static final String SWEEP = """
            /* sluice:sweep */
            select * from {schema}.sweep(?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private final Connection connection;
    private final PreparedStatement sweep;
    private final Epochs epochs;
    private final Floors floors = new Floors();

    /** @param epochs is told what is found */
    public Sweep(Connection connection, Schema schema, Epochs epochs) throws SQLException {
        this.connection = connection;
        this.sweep = connection.prepareStatement(schema.sql(SWEEP));
        this.epochs = epochs;
    }

    /** Moves what is due, of any queue, and finds the first waiting job of each lane of these queues. */
    public Findings sweep(Collection<String> queues) throws SQLException {
        Answer answer = new Answer(queues);
        fill(queues);
        try (ResultSet row = sweep.executeQuery()) {
            while (row.next()) {
                switch (row.getString("what")) {
                    case "promoted" -> answer.promoted(row);
                    case "waiting" -> answer.waiting(row);
                    default -> answer.table(row);
                }
            }
        }
        return answer.findings();
    }

    private void fill(Collection<String> queues) throws SQLException {
        List<Floors.Place> places = floors.places();
        List<Floors.Writer> writers = floors.writers();
        sweep.setInt(1, MOST_PROMOTED);
        sweep.setArray(2, array("text", queues.stream()));
        sweep.setArray(3, array("text", places.stream().map(Floors.Place::table)));
        sweep.setArray(4, array("text", places.stream().map(Floors.Place::queue)));
        sweep.setArray(5, array("smallint", places.stream().map(Floors.Place::priority)));
        sweep.setArray(6, array("bigint", places.stream().map(floors::floor)));
        sweep.setArray(7, array("text", writers.stream().map(Floors.Writer::name)));
        sweep.setArray(8, array("bigint", writers.stream().map(Floors.Writer::begunAfter)));
    }

    private Array array(String type, Stream<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    /** Collects the rows of one sweep. */
    private final class Answer {

        private final Collection<String> queues;
        private final Set<String> waiting = new HashSet<>();
        private final Set<Lane> alone = new HashSet<>();
        private final Map<Lane, Long> firstWaiting = new HashMap<>();
        private final Map<Floors.Place, Long> oldest = new HashMap<>();
        private final Set<Lane> taken = new HashSet<>();
        private final List<EpochState> states = new ArrayList<>();
        private long promoted;

        private Answer(Collection<String> queues) {
            this.queues = queues;
        }

        private void promoted(ResultSet row) throws SQLException {
            promoted += row.getLong("promoted");
            // those that have to be claimed by themselves are seen by the next sweep
            if (queues.contains(row.getString("queue")) && !row.getBoolean("alone")) {
                waiting.add(row.getString("queue"));
            }
        }

        private void waiting(ResultSet row) throws SQLException {
            String table = row.getString("table");
            String queue = row.getString("queue");
            short priority = row.getShort("priority");
            if (row.getBoolean("alone")) {
                alone.add(new Lane(number(table), queue, priority));
                return;
            }
            oldest.put(new Floors.Place(table, queue, priority), row.getLong("oldest"));
            if (table.startsWith(SCHEDULED)) {
                return;
            }
            Lane lane = new Lane(number(table), queue, priority);
            long pos = row.getLong("waiting");
            if (!row.wasNull()) {
                waiting.add(queue);
                firstWaiting.put(lane, pos);
            }
            if (row.getBoolean("taken")) {
                taken.add(lane);
            }
        }

        /** These rows are the last ones. */
        private void table(ResultSet row) throws SQLException {
            String table = row.getString("table");
            EpochState state = new EpochState(
                    table.startsWith(JOB) ? EpochState.Family.JOB : EpochState.Family.SCHEDULED,
                    number(table),
                    row.getBoolean("current"),
                    row.getLong("bytes"),
                    row.getLong("live"),
                    row.getLong("dead"),
                    row.getLong("changes"));
            states.add(state);
            String[] writers = (String[]) row.getArray("writer").getArray();
            long mark = row.getLong("mark");
            List<Floors.Place> places = places(table);
            boolean known = floors.looked(table, mark, List.of(writers), places, oldest);
            if (state.family() == EpochState.Family.JOB) {
                if (state.current()) {
                    epochs.current(state.epoch());
                }
                for (Floors.Place place : places) {
                    Lane lane = new Lane(state.epoch(), place.queue(), place.priority());
                    // what a transaction has taken is nothing to claim, whatever becomes of it
                    long first = firstWaiting.getOrDefault(lane, Long.MAX_VALUE);
                    epochs.swept(lane, known ? first : 0, floors.writtenUpTo(table));
                }
            }
        }

        private List<Floors.Place> places(String table) {
            if (table.startsWith(SCHEDULED)) {
                return List.of(new Floors.Place(table, "", (short) 0));
            }
            List<Floors.Place> places = new ArrayList<>();
            for (String queue : queues) {
                for (short priority = 0; priority < Position.PRIORITIES; priority++) {
                    places.add(new Floors.Place(table, queue, priority));
                }
            }
            return places;
        }

        private Findings findings() {
            epochs.waiting(firstWaiting);
            Map<Lane, Long> below = new HashMap<>();
            taken.forEach(lane ->
                    below.put(lane, floors.floor(new Floors.Place(JOB + lane.epoch(), lane.queue(), lane.priority()))));
            return new Findings(waiting, alone, promoted >= MOST_PROMOTED, below, states);
        }
    }

    private static int number(String table) {
        return Integer.parseInt(table.substring(table.indexOf('_') + 1));
    }
}
