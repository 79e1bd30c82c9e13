package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
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
     * A waiting job, the first of its priority.
     *
     * @param alone whether it has to be claimed by itself
     */
    public record Waiting(String queue, int priority, long pos, boolean alone) {}

    /**
     * What a sweep found.
     *
     * @param moreAreDue whether there were more jobs due than it moved
     * @param taken      whether a transaction has taken some of the oldest, a living one or one that was rolled back
     */
    public record Findings(List<Waiting> waiting, boolean moreAreDue, boolean taken) {}

    private static final int MOST_PROMOTED = 1_000;

    private static final String SWEEP = """
            /* sluice:sweep */
            with due as (
              delete from {schema}.scheduled
              where ctid = any(array(
                select ctid from {schema}.scheduled where run_at <= clock_timestamp()
                order by run_at limit ? for update skip locked))
              returning *
            ), promoted as (
              insert into {schema}.job_1 (queue, priority, id, kind, payload, attempt, alone, enqueued_at)
              select queue, priority, id, kind, payload, attempt, alone, enqueued_at from due order by run_at, id
              returning queue, priority, alone, pos
            )
            -- what has just been promoted is in the answer only, not yet in the table that the rest reads
            select queue, priority, alone, min(pos) as pos, count(*) as promoted, false as taken from promoted
            group by queue, priority, alone
            union all
            select queue.name, reach.priority, first.alone, first.pos, 0, first.taken
            from unnest(?::text[]) queue(name),
              unnest('{0,1,2,3}'::smallint[]) reach(priority),
              lateral (
                select false as alone, bool_or(xmax <> 0) as taken,
                  -- what a transaction has taken does not wait; behind a hundred of such, something may
                  coalesce(min(pos) filter (where xmax = 0), case count(*) when 100 then max(pos) end) as pos
                from (
                  select pos, xmax from {schema}.job_1
                  where queue = queue.name and priority = reach.priority and lease is null and not alone
                  order by pos limit 100) oldest
                union all
                (select true, false, pos from {schema}.job_1
                where queue = queue.name and priority = reach.priority and lease is null and alone
                order by pos limit 1)) first
            where first.pos is not null or first.taken
            """;

    private final Connection connection;
    private final PreparedStatement sweep;

    public Sweep(Connection connection, Schema schema) throws SQLException {
        this.connection = connection;
        this.sweep = connection.prepareStatement(schema.sql(SWEEP));
    }

    /** Moves what is due, of any queue, and finds the first waiting job of each priority of these queues. */
    public Findings sweep(Collection<String> queues) throws SQLException {
        List<Waiting> waiting = new ArrayList<>();
        long promoted = 0;
        boolean taken = false;
        sweep.setInt(1, MOST_PROMOTED);
        sweep.setArray(2, connection.createArrayOf("text", queues.toArray()));
        try (ResultSet row = sweep.executeQuery()) {
            while (row.next()) {
                long pos = row.getLong("pos");
                if (!row.wasNull()) {
                    waiting.add(
                            new Waiting(row.getString("queue"), row.getInt("priority"), pos, row.getBoolean("alone")));
                }
                promoted += row.getLong("promoted");
                taken |= row.getBoolean("taken");
            }
        }
        return new Findings(waiting, promoted >= MOST_PROMOTED, taken);
    }
}
