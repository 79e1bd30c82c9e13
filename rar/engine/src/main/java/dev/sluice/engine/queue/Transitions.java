package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of a claimed job. Each checks the lease, so that a node that was taken for dead changes nothing. A job
 * without a lease was taken by the transaction that handles it: it is gone when that commits, and waits again, for nobody
 * but us for now, when that is rolled back.
 */
public final class Transitions {

    private static final String ACKNOWLEDGE = """
            /* sluice:acknowledge */
            delete from {schema}.job_{epoch} where queue = ? and priority = ? and pos = ? and lease = ? and id = ?
            """;

    private static final String ACKNOWLEDGE_CARRIED = """
            /* sluice:acknowledge carried over */
            select count(*) from {schema}.withdraw(?, ?, ?, ?, ?, ?)
            """;

    private static final String FAIL = """
            /* sluice:fail */
            select {schema}.fail(?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String DEFER = """
            /* sluice:defer */
            select {schema}.defer(?, ?, ?, ?, ?, ?, ?::float8 * interval '1 s')
            """;

    private static final String PUT_BACK = """
            /* sluice:put back */
            select {schema}.put_back(?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String DECIDE = """
            /* sluice:decide */
            select {schema}.decide(?, ?, ?, ?, ?, ?)
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
        List<Job> missed = new ArrayList<>();
        // the jobs of a lease are of one epoch
        try (PreparedStatement delete =
                connection.prepareStatement(schema.sql(ACKNOWLEDGE, jobs.get(0).epoch()))) {
            if (jobs.size() == 1) {
                fillAcknowledge(delete, jobs.get(0));
                if (delete.executeUpdate() != 1) {
                    missed.add(jobs.get(0));
                }
            } else {
                // one round trip; and each is found by the key, whatever the planner thinks of the table
                for (Job job : jobs) {
                    fillAcknowledge(delete, job);
                    delete.addBatch();
                }
                int[] rows = delete.executeBatch();
                for (int nth = 0; nth < rows.length; nth++) {
                    if (rows[nth] != 1) {
                        missed.add(jobs.get(nth));
                    }
                }
            }
        }
        for (Job job : missed) {
            if (!acknowledgeCarried(connection, job)) {
                return false;
            }
        }
        return true;
    }

    private static void fillAcknowledge(PreparedStatement delete, Job job) throws SQLException {
        delete.setString(1, job.queue());
        delete.setShort(2, job.priority());
        delete.setLong(3, job.pos());
        delete.setLong(4, job.lease());
        delete.setLong(5, job.id());
    }

    private boolean acknowledgeCarried(Connection connection, Job job) throws SQLException {
        try (PreparedStatement call = prepare(connection, ACKNOWLEDGE_CARRIED, job);
                ResultSet row = call.executeQuery()) {
            row.next();
            return row.getLong(1) == 1;
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
            call.setString(7, storable(error));
            try (ResultSet row = call.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** Puts the job back uncounted, to run after a delay. */
    public void defer(Connection connection, Job job, Duration delay) throws SQLException {
        try (PreparedStatement call = prepare(connection, DEFER, job)) {
            call.setDouble(7, delay.toMillis() / MILLIS);
            call.execute();
        }
    }

    /** Puts the job back uncounted; without the mark of a transaction that was rolled back. */
    public void release(Connection connection, Job job) throws SQLException {
        putBack(connection, job, false);
    }

    /** Puts the job back uncounted, to be claimed by itself. */
    public void isolate(Connection connection, Job job) throws SQLException {
        putBack(connection, job, true);
    }

    private void putBack(Connection connection, Job job, boolean alone) throws SQLException {
        try (PreparedStatement call = prepare(connection, PUT_BACK, job)) {
            call.setBoolean(7, alone);
            call.execute();
        }
    }

    /**
     * Decides what became of an acknowledgement whose answer was lost. The locking read waits for the transaction that
     * deleted the row, if the server still works on it.
     *
     * @return true if it was committed, false if not; null if it cannot be told, since the job was rescued meanwhile
     */
    public Boolean acknowledged(Connection connection, Job job) throws SQLException {
        try (PreparedStatement call = prepare(connection, DECIDE, job);
                ResultSet row = call.executeQuery()) {
            row.next();
            return row.getObject(1, Boolean.class);
        }
    }

    private PreparedStatement prepare(Connection connection, String statement, Job job) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(schema.sql(statement));
        prepared.setInt(1, job.epoch());
        prepared.setString(2, job.queue());
        prepared.setShort(3, job.priority());
        prepared.setLong(4, job.pos());
        prepared.setObject(5, job.lease(), Types.BIGINT);
        prepared.setLong(6, job.id());
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
