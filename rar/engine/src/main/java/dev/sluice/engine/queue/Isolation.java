package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Finds waiting jobs whose handler's transaction ended without a word: it took them, and was rolled back by the death of
 * its server, or of its connection. One of them may have been the reason, so each is made to run by itself, leased, where
 * a further death names the culprit.
 *
 * <p>PostgreSQL keeps the mark: a row that a rolled back transaction had deleted or locked has an {@code xmax} that is not
 * zero (section 5.6). Rows that a living transaction has taken look the same, but are locked. Whoever rolls back in good
 * order moves the job at once; so only what two looks in a row have found unlocked is isolated. Belongs to one connection and one
 * thread.
 */
public final class Isolation {

    /** They are the oldest that wait, since claims have taken what was around them. */
    private static final int WINDOW = 1_000;

    private static final String LOOK = """
            /* sluice:look for rolled back */
            select epoch, queue, priority, pos from {schema}.rolled_back(?, ?, ?, ?, ?)
            """;

    private static final String ISOLATE = """
            /* sluice:isolate */
            select {schema}.isolate(?, ?, ?, ?)
            """;

    private record Marked(Lane lane, long pos) {}

    private final Connection connection;
    private final PreparedStatement look;
    private final PreparedStatement isolate;
    private List<Marked> seen = List.of();

    public Isolation(Connection connection, Schema schema) throws SQLException {
        this.connection = connection;
        this.look = connection.prepareStatement(schema.sql(LOOK));
        this.isolate = connection.prepareStatement(schema.sql(ISOLATE));
    }

    /**
     * Looks once, and isolates what the look before this one has found too. Between two looks is to be more time than it
     * takes to roll back in good order.
     *
     * @param lanes where to look, with the position behind which to look
     * @return how many jobs have to run by themselves now
     */
    public long look(Map<Lane, Long> lanes) throws SQLException {
        List<Marked> places = new ArrayList<>();
        lanes.forEach((lane, after) -> places.add(new Marked(lane, after)));
        fill(look, places);
        look.setInt(5, WINDOW);
        List<Marked> found = new ArrayList<>();
        try (ResultSet row = look.executeQuery()) {
            while (row.next()) {
                found.add(new Marked(
                        new Lane(row.getInt("epoch"), row.getString("queue"), row.getShort("priority")),
                        row.getLong("pos")));
            }
        }
        List<Marked> again = new ArrayList<>(found);
        again.retainAll(seen);
        seen = found;
        if (again.isEmpty()) {
            return 0;
        }
        fill(isolate, again);
        try (ResultSet row = isolate.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private void fill(PreparedStatement statement, List<Marked> places) throws SQLException {
        statement.setArray(
                1, array("int", places.stream().map(place -> place.lane().epoch())));
        statement.setArray(
                2, array("text", places.stream().map(place -> place.lane().queue())));
        statement.setArray(
                3, array("smallint", places.stream().map(place -> place.lane().priority())));
        statement.setArray(4, array("bigint", places.stream().map(Marked::pos)));
    }

    private Array array(String type, Stream<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }
}
