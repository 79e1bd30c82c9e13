package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Compares a ledger with the jobs that were enqueued, by SQL. */
public final class LedgerCheck {

    /**
     * What a ledger says.
     *
     * @param lost    jobs that are not in it
     * @param doubled jobs that are in it more than once
     * @param strange rows of jobs that were never enqueued
     */
    public record Finding(long lost, long doubled, long strange) {}

    private static final String COUNT = """
            /* bench:ledger */
            with job as (
              select generate_series(1, ?::bigint) as number
            ), entry as (
              select number, count(*) as entries from bench.ledger where queue = ? group by number
            )
            select
              count(*) filter (where entry.number is null) as lost,
              count(*) filter (where job.number is not null and entry.entries > 1) as doubled,
              coalesce(sum(entry.entries) filter (where job.number is null), 0)::bigint as strange
            from job full join entry on entry.number = job.number""";

    private final Connection connection;

    /** @param connection to the database with the ledger */
    public LedgerCheck(Connection connection) {
        this.connection = connection;
    }

    /**
     * Looks when no job of the queue waits or runs any more.
     *
     * @param enqueued how many jobs were enqueued, with the numbers from 1
     */
    public Finding of(String queue, long enqueued) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COUNT)) {
            query.setLong(1, enqueued);
            query.setString(2, queue);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Finding(row.getLong("lost"), row.getLong("doubled"), row.getLong("strange"));
            }
        }
    }
}
