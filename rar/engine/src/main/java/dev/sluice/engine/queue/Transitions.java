package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What becomes of a claimed job. Each checks the lease, so that a node that was taken for dead changes nothing. */
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
            update {schema}.job_1 set lease = null where queue = ? and priority = ? and pos = ? and lease = ?
            """;

    private static final String IS_LEASED = """
            /* sluice:decide */
            select exists (
                select from {schema}.job_1 where queue = ? and priority = ? and pos = ? and lease = ? for update),
              exists (select from {schema}.claim_1 where lease = ? and node <> 0)
            """;

    private static final double MILLIS = 1_000;

    /** The text that is kept of an error, in bytes; a row must not grow with what a handler throws. */
    private static final int LONGEST_ERROR = 8_000;

    private final Schema schema;

    public Transitions(Schema schema) {
        this.schema = schema;
    }

    /** Deletes the job in the connection's transaction; false if the lease is not ours any more. */
    public boolean acknowledge(Connection connection, Job job) throws SQLException {
        try (PreparedStatement delete = prepare(connection, ACKNOWLEDGE, job)) {
            return delete.executeUpdate() == 1;
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

    /** Puts the job back uncounted, where it was. */
    public void release(Connection connection, Job job) throws SQLException {
        try (PreparedStatement update = prepare(connection, RELEASE, job)) {
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
        try (PreparedStatement query = prepare(connection, IS_LEASED, job)) {
            query.setLong(5, job.lease());
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
        prepared.setString(1, job.queue());
        prepared.setShort(2, job.priority());
        prepared.setLong(3, job.pos());
        prepared.setLong(4, job.lease());
        return prepared;
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
