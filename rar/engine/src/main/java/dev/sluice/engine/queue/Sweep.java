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
            select queue.name, priority, alone, first.pos
            from (select {schema}.promote(1000)) promoted,
              unnest(?::text[]) queue(name),
              unnest('{0,1,2,3}'::smallint[]) priority,
              unnest('{f,t}'::boolean[]) alone,
              lateral (
                select job.pos from {schema}.job_1 job
                where job.queue = queue.name and job.priority = priority and job.lease is null and job.alone = alone
                order by job.pos limit 1) first
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
                waiting.add(new Waiting(row.getString(1), row.getInt(2), row.getLong(4), row.getBoolean(3)));
            }
        }
        return waiting;
    }
}
