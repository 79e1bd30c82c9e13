package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The size of what PostgreSQL wrote to its log, without full-page images and without the rows of the bench: every record that
 * has a block of a table in schema {@code bench} is left out. Commit records stay in, the producers' too.
 */
public final class WalBytes {

    /** The extension keeps what it reads of the log in memory or temporary files: one statement reads so much of it. */
    private static final long SLICE = 64L * 1024 * 1024;

    private static final String LENGTH = "/* bench:wal length */ select ?::pg_lsn - ?::pg_lsn";

    private static final String ALL = """
            /* bench:wal bytes */
            select coalesce(sum(record_size), 0)
            from pg_get_wal_stats(?::pg_lsn + ?::numeric, ?::pg_lsn + ?::numeric, true)""";

    /** A record names the files of its blocks as rel TABLESPACE/DATABASE/FILENODE. */
    private static final String OF_BENCH = """
            /* bench:wal bytes of the bench */
            select coalesce(sum(record_length - fpi_length), 0)
            from pg_get_wal_records_info(?::pg_lsn + ?::numeric, ?::pg_lsn + ?::numeric)
            where block_ref ~ (
              select 'rel \\d+/' || (select oid from pg_database where datname = current_database())
                || '/(' || string_agg(pg_relation_filenode(oid)::text, '|') || ')\\M'
              from pg_class where relnamespace = 'bench'::regnamespace and relkind in ('r', 'i'))""";

    private final Connection connection;

    /** @param connection to the database of the run, with pg_walinspect, as a role that may use it */
    public WalBytes(Connection connection) {
        this.connection = connection;
    }

    /**
     * Counts the bytes of the records from one position to another.
     *
     * @throws SQLException if a checkpoint has recycled that part of the log
     */
    public long between(WalPosition from, WalPosition to) throws SQLException {
        long length = length(from, to);
        long bytes = 0;
        for (long offset = 0; offset < length; offset += SLICE) {
            long end = Math.min(length, offset + SLICE);
            bytes += sum(ALL, from, offset, end) - sum(OF_BENCH, from, offset, end);
        }
        return bytes;
    }

    private long length(WalPosition from, WalPosition to) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(LENGTH)) {
            query.setString(1, to.lsn());
            query.setString(2, from.lsn());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private long sum(String statement, WalPosition from, long begin, long end) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(statement)) {
            query.setString(1, from.lsn());
            query.setLong(2, begin);
            query.setString(3, from.lsn());
            query.setLong(4, end);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
