package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What becomes of a claimed job. Each checks the lease, so that a node that was taken for dead changes nothing. A job
 * without a lease was taken by the transaction that handles it: it is gone when that commits, and waits again, for nobody
 * but us for now, when that is rolled back.
 */
public final class Transitions {

    private static final String ACKNOWLEDGE = """
            /* sluice:acknowledge */
            delete from {schema}.job_1 where queue = ? and priority = ? and pos = ? and lease = ?
            """;

    private static final String FAIL = """
            /* sluice:fail */
            select {schema}.fail(?, ?, ?, ?, ?)
            """;

    private static final String DEFER = """
            /* sluice:defer */
            select {schema}.defer(?, ?, ?, ?, ?::float8 * interval '1 s')
            """;

    private static final String RELEASE = """
            /* sluice:release */
            update {schema}.job_1 set lease = null
            where queue = ? and priority = ? and pos = ? and lease is not distinct from ?
            """;

    private static final String ISOLATE = """
            /* sluice:run alone */
            update {schema}.job_1 set lease = null, alone = true
            where queue = ? and priority = ? and pos = ? and lease is not distinct from ?
            """;

    private static final String IS_LEASED = """
            /* sluice:decide */
            select exists (
                select from {schema}.job_1 where queue = ? and priority = ? and pos = ? and lease = ? for update),
              exists (select from {schema}.claim_1 where lease = ? and node <> 0)
            """;

    /** A row without a lease waits where it was until whoever rolled back has moved it; a while at least. */
    private static final String IS_THERE = """
            /* sluice:decide */
            select exists (
                select from {schema}.job_1 where queue = ? and priority = ? and pos = ? and ?::bigint is null for update),
              true
            """;

    private static final double MILLIS = 1_000;

    /** The text that is kept of an error, in bytes; a row must not grow with what a handler throws. */
    private static final int LONGEST_ERROR = 8_000;

    private final Schema schema;

    public Transitions(Schema schema) {
        this.schema = schema;
    }

    /** Deletes leased jobs in the connection's transaction; false if the lease is not ours any more. */
    public boolean acknowledge(Connection connection, List<Job> jobs) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.sql(ACKNOWLEDGE))) {
            if (jobs.size() == 1) {
                fill(delete, jobs.get(0));
                return delete.executeUpdate() == 1;
            }
            // one round trip; and each is found by the key, whatever the planner thinks of the table
            for (Job job : jobs) {
                fill(delete, job);
                delete.addBatch();
            }
            return Arrays.stream(delete.executeBatch()).allMatch(rows -> rows == 1);
        }
    }

    /**
     * Counts a failed attempt.
     *
     * @param error why; shortened if need be
     * @return "scheduled" or "dead letter"; null if the lease is not ours any more
     */
    public String fail(Connection connection, Job job, String error) throws SQLException {
        try (PreparedStatement call = prepare(connection, FAIL, job)) {
            call.setString(5, storable(error));
            try (ResultSet row = call.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Puts the job back uncounted, to run after a delay. */
    public void defer(Connection connection, Job job, Duration delay) throws SQLException {
        try (PreparedStatement call = prepare(connection, DEFER, job)) {
            call.setDouble(5, delay.toMillis() / MILLIS);
            call.execute();
        }
    }

    /** Puts the job back uncounted, where it was; without the mark of a transaction that was rolled back. */
    public void release(Connection connection, Job job) throws SQLException {
        try (PreparedStatement update = prepare(connection, RELEASE, job)) {
            update.executeUpdate();
        }
    }

    /** Puts the job back uncounted, to be claimed by itself. */
    public void isolate(Connection connection, Job job) throws SQLException {
        try (PreparedStatement update = prepare(connection, ISOLATE, job)) {
            update.executeUpdate();
        }
    }

    /**
     * Decides what became of an acknowledgement whose answer was lost. The locking read waits for the transaction that
     * deleted the row, if the server still works on it.
     *
     * @return true if it was committed, false if not; null if it cannot be told, since the job was rescued meanwhile
     */
    public Boolean acknowledged(Connection connection, Job job) throws SQLException {
        try (PreparedStatement query = prepare(connection, job.lease() == null ? IS_THERE : IS_LEASED, job)) {
            if (job.lease() != null) {
                query.setLong(5, job.lease());
            }
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    return false;
                }
                return row.getBoolean(2) ? true : null;
            }
        }
    }

    private PreparedStatement prepare(Connection connection, String statement, Job job) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(schema.sql(statement));
        fill(prepared, job);
        return prepared;
    }

    private static void fill(PreparedStatement prepared, Job job) throws SQLException {
        prepared.setString(1, job.queue());
        prepared.setShort(2, job.priority());
        prepared.setLong(3, job.pos());
        prepared.setObject(4, job.lease(), Types.BIGINT);
    }

    /** PostgreSQL stores no NUL in text (section 8.3). */
    private static String storable(String error) {
        String text = error.replace('\0', '\uFFFD');
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LONGEST_ERROR
                ? text
                : new String(bytes, 0, LONGEST_ERROR, StandardCharsets.UTF_8).replaceAll("\uFFFD+$", "") + " ...";
    }
}
