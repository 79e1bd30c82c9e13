package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * The transactional claim: it deletes the jobs in the transaction that handles them, so that one commit is both the
 * handler's work and the acknowledgement, and a rollback is no claim at all.
 *
 * <p>A rollback leaves its mark: the row's {@code xmax} is not zero any more (PostgreSQL, section 5.6). Jobs so marked are
 * left alone here. Whoever rolled back counts the attempt and moves the job; where nobody does, since the server died
 * with the job, the sweep finds it and has it run by itself.
 */
public final class Take {

    private static final String TAKE = """
            /* sluice:take */
            select * from {schema}.take(?, ?, ?, ?, ?)
            """;

    private static final String RETAKE = """
            /* sluice:retake */
            delete from {schema}.job_1 where queue = ? and priority = ? and pos = ? and lease is null
            """;

    private final Schema schema;

    public Take(Schema schema) {
        this.schema = schema;
    }

    /**
     * Takes up to {@code most} jobs in the connection's transaction.
     *
     * @param positions how far this node's claims have come
     * @return the jobs in their order; empty if there are none
     */
    public List<Job> take(Connection connection, Positions positions, String queue, Kinds kinds, int most)
            throws SQLException {
        Position position = positions.of(queue, kinds);
        Position.Reach reach = position.reach();
        try (PreparedStatement take = connection.prepareStatement(schema.sql(TAKE))) {
            take.setString(1, queue);
            take.setArray(2, connection.createArrayOf("bigint", reach.after()));
            take.setArray(3, kinds.only(connection));
            take.setArray(4, kinds.except(connection));
            take.setInt(5, most);
            List<Job> jobs = JobRow.list(take, queue, null);
            for (Job job : jobs) {
                position.claimed(reach, job.priority(), job.pos());
            }
            return jobs;
        }
    }

    /** Takes a job again whose transaction was rolled back; false if somebody else has it now. */
    public boolean retake(Connection connection, Job job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.sql(RETAKE))) {
            delete.setString(1, job.queue());
            delete.setShort(2, job.priority());
            delete.setLong(3, job.pos());
            return delete.executeUpdate() == 1;
        }
    }
}
