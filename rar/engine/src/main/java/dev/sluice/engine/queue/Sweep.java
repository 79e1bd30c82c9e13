package dev.sluice.engine.queue;

import dev.sluice.engine.schema.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Finds where jobs wait, from the very first row, so also those that claims have left behind. One statement moves the
 * jobs that are due and looks. Belongs to one connection and one thread.
 */
public final class Sweep {

    /**
     * A waiting job.
     *
     * @param alone whether it has to be claimed by itself
     */
    public record Waiting(String queue, int priority, long pos, boolean alone) {}

    private static final String SWEEP = """
            /* sluice:sweep */
            select queue.name, reach.priority, first.pos, first.alone
            from (select {schema}.promote(1000)) promoted,
              unnest(?::text[]) queue(name),
              unnest('{0,1,2,3}'::smallint[]) reach(priority),
              lateral (
                (select pos, alone from {schema}.job_1
                where queue = queue.name and priority = reach.priority and lease is null and not alone
                order by pos limit 1)
                union all
                (select pos, alone from {schema}.job_1
                where queue = queue.name and priority = reach.priority and lease is null and alone
                order by pos limit 1)) first
            """;

    private final Connection connection;
    private final PreparedStatement sweep;

    public Sweep(Connection connection, Schema schema) throws SQLException {
        this.connection = connection;
        this.sweep = connection.prepareStatement(schema.sql(SWEEP));
    }

    /** The first waiting job of each priority of these queues. */
    public List<Waiting> sweep(Collection<String> queues) throws SQLException {
        List<Waiting> waiting = new ArrayList<>();
        sweep.setArray(1, connection.createArrayOf("text", queues.toArray()));
        try (ResultSet row = sweep.executeQuery()) {
            while (row.next()) {
                waiting.add(new Waiting(row.getString(1), row.getInt(2), row.getLong(3), row.getBoolean(4)));
            }
        }
        return waiting;
    }
}
