package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Deque;
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
            select epoch.last_value as current_epoch, newest.last_value as newest_pos, taken.*
            from {schema}.job_epoch epoch cross join {schema}.job_pos newest left join {schema}.take_{epoch}(?, ?, ?, ?, ?, ?) taken on true
            """;

    private static final String RETAKE = """
            /* sluice:retake */
            delete from {schema}.job_{epoch} where queue = ? and priority = ? and pos = ? and id = ? and lease is null
            """;

    private final Schema schema;

    public Take(Schema schema) {
        this.schema = schema;
    }

    /**
     * Takes up to {@code most} jobs in the connection's transaction.
     *
     * @param epochs where this node claims
     * @return jobs of one epoch in their order; empty if there are none
     */
    public List<Job> take(Connection connection, Epochs epochs, String queue, Kinds kinds, int most)
            throws SQLException {
        List<Job> jobs = new ArrayList<>();
        Deque<Epochs.Look> looks = epochs.looks(queue, kinds);
        while (jobs.isEmpty() && !looks.isEmpty()) {
            Epochs.Look look = looks.poll();
            JobRow.Sequences sequences = take(connection, look, queue, kinds, most, jobs);
            look.brought(jobs, jobs.size() < most, sequences.newest());
            if (epochs.current(sequences.epoch())) {
                looks = epochs.looks(queue, kinds);
            }
        }
        return jobs;
    }

    private JobRow.Sequences take(
            Connection connection, Epochs.Look look, String queue, Kinds kinds, int most, List<Job> jobs)
            throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(schema.sql(TAKE, look.epoch()))) {
            take.setString(1, queue);
            take.setArray(2, connection.createArrayOf("smallint", look.priorities()));
            take.setArray(3, connection.createArrayOf("bigint", look.after()));
            take.setArray(4, kinds.only(connection));
            take.setArray(5, kinds.except(connection));
            take.setInt(6, most);
            return JobRow.read(take, look.epoch(), queue, null, jobs);
        }
    }

    /** Takes a job again whose transaction was rolled back; false if somebody else has it now. */
    public boolean retake(Connection connection, Job job) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.sql(RETAKE, job.epoch()))) {
            delete.setString(1, job.queue());
            delete.setShort(2, job.priority());
            delete.setLong(3, job.pos());
            delete.setLong(4, job.id());
            return delete.executeUpdate() == 1;
        }
    }
}
