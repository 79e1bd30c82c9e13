package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Counts what PostgreSQL wrote to its log between two positions, with the extension pg_walinspect. To be asked soon after:
 * a checkpoint may recycle the log.
 *
 * @see <a href="https://www.postgresql.org/docs/18/pgwalinspect.html">pg_walinspect</a>
 */
public final class WalMeasure {

    private static final long FLUSH_POLL_MILLIS = 10;

    private static final String POSITION = "/* bench:wal position */ select pg_current_wal_insert_lsn()";

    private static final String FLUSHED = "/* bench:wal flushed */ select pg_current_wal_flush_lsn() >= ?::pg_lsn";

    private static final String COUNT = """
            /* bench:wal count */
            select
              coalesce(sum(count) filter (where "resource_manager/record_type" = 'Transaction/COMMIT'), 0)::bigint,
              coalesce(sum(count) filter (where "resource_manager/record_type" = 'Transaction/PREPARE'), 0)::bigint,
              coalesce(sum(count) filter (where "resource_manager/record_type" = 'Transaction/COMMIT_PREPARED'), 0)::bigint
            from pg_get_wal_stats(?::pg_lsn, ?::pg_lsn, true)""";

    private final Connection connection;

    /** @param connection to a database with pg_walinspect, as a role that may use it */
    public WalMeasure(Connection connection) {
        this.connection = connection;
    }

    /** Where the next record will be. */
    public WalPosition position() throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(POSITION)) {
            row.next();
            return new WalPosition(row.getString(1));
        }
    }

    /** Counts the records from one position to before another; waits until they are flushed. */
    public WalRecords between(WalPosition from, WalPosition to) throws SQLException, InterruptedException {
        if (from.equals(to)) {
            return WalRecords.NONE;
        }
        awaitFlushed(to);
        try (PreparedStatement query = connection.prepareStatement(COUNT)) {
            query.setString(1, from.lsn());
            query.setString(2, to.lsn());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new WalRecords(row.getLong(1), row.getLong(2), row.getLong(3));
            }
        }
    }

    /** The background writer of the log flushes it within a few times wal_writer_delay, even if nobody commits. */
    private void awaitFlushed(WalPosition position) throws SQLException, InterruptedException {
        try (PreparedStatement query = connection.prepareStatement(FLUSHED)) {
            query.setString(1, position.lsn());
            while (!isTrue(query)) {
                TimeUnit.MILLISECONDS.sleep(FLUSH_POLL_MILLIS);
            }
        }
    }

    private static boolean isTrue(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
