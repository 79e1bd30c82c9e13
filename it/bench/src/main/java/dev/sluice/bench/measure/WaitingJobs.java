package dev.sluice.bench.measure;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the jobs that wait or run, in the queue's own tables. It reads only what came after a mark, so that it costs
 * little where many dead rows lie before it.
 */
public final class WaitingJobs implements AutoCloseable {

    /**
     * A look.
     *
     * @param seconds the time on the database's clock
     * @param wal     the position in the log at the same time
     * @param jobs    that wait or run
     */
    public record Point(double seconds, WalPosition wal, long jobs) {}

    private static final String INDEX_ONLY = "-c enable_seqscan=off -c enable_bitmapscan=off";

    private static final String JOB_TABLES = """
            /* bench:job tables */
            select relname from pg_class
            where relnamespace = 'sluice'::regnamespace and relkind = 'r' and relname ~ '^job_[0-9]+$'
            order by relname""";

    private static final String MARK =
            "/* bench:mark */ select case when is_called then last_value else 0 end from sluice.job_pos";

    private static final String COUNT_IN_TABLE =
            "(select count(*) from sluice.%s where queue = ? and priority = any('{0,1,2,3}') and pos > ?)";

    private static final String COUNT_SET_ASIDE = """
            /* bench:set aside */
            select (select count(*) from sluice.scheduled), (select count(*) from sluice.dead_letter)""";

    /**
     * Jobs that failed.
     *
     * @param scheduled   that wait for another attempt
     * @param deadLetters that had their last
     */
    public record SetAside(long scheduled, long deadLetters) {}

    private final Connection connection;
    private final PreparedStatement count;
    private final int tables;
    private long mark;

    private WaitingJobs(Connection connection, List<String> tables) throws SQLException {
        this.connection = connection;
        this.tables = tables.size();
        this.count = connection.prepareStatement(
                "/* bench:waiting */ select extract(epoch from statement_timestamp())::float8,"
                        + " pg_current_wal_insert_lsn(), "
                        + String.join(
                                " + ",
                                tables.stream().map(COUNT_IN_TABLE::formatted).toList()));
    }

    /** Looks on a connection of its own. */
    public static WaitingJobs of(Database database) throws SQLException {
        Connection connection = database.connect(Database.QUEUE, "sluice-bench count", INDEX_ONLY);
        try {
            return new WaitingJobs(connection, jobTables(connection));
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static List<String> jobTables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(JOB_TABLES)) {
            while (row.next()) {
                tables.add(row.getString(1));
            }
        }
        return tables;
    }

    /** Counts from now on only jobs that come later. */
    public void mark() throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(MARK)) {
            row.next();
            mark = row.getLong(1);
        }
    }

    /** As of now. */
    public Point look(String queue) throws SQLException {
        for (int table = 0; table < tables; table++) {
            count.setString(2 * table + 1, queue);
            count.setLong(2 * table + 2, mark);
        }
        try (ResultSet row = count.executeQuery()) {
            row.next();
            return new Point(row.getDouble(1), new WalPosition(row.getString(2)), row.getLong(3));
        }
    }

    /** The jobs of all queues that failed. */
    public SetAside setAside() throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(COUNT_SET_ASIDE)) {
            row.next();
            return new SetAside(row.getLong(1), row.getLong(2));
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
