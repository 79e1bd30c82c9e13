package dev.sluice.engine;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Epochs;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.NodeRow;
import dev.sluice.engine.queue.Transitions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A node without an engine: it claims, beats and dies when the test says so. */
public final class TestNode implements AutoCloseable {

    /** What {@link #die} makes a node older than. */
    public static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final QueueFixture fixture;
    private final Connection connection;
    private final NodeRow row;
    private final Claim claim;
    private final Transitions transitions;

    TestNode(QueueFixture fixture, Duration timeout) throws SQLException {
        this.fixture = fixture;
        this.connection = fixture.connect();
        this.row = NodeRow.register(connection, fixture.schema(), "test", timeout);
        this.claim = new Claim(connection, fixture.schema(), row.id(), new Epochs());
        this.transitions = new Transitions(fixture.schema());
    }

    public long id() {
        return row.id();
    }

    public NodeRow row() {
        return row;
    }

    /** The node's connection, in autocommit. */
    public Connection connection() {
        return connection;
    }

    public List<Job> claim(String queue, int most, Long... finished) throws SQLException {
        return claim.claim(queue, most, Kinds.EVERY, new FirstEpoch(finished));
    }

    /** Leases of jobs of the first epoch that are done with. */
    public record FirstEpoch(Long... leases) implements Claim.Finished {

        @Override
        public Long[] take(int epoch) {
            return epoch == 1 ? leases : new Long[0];
        }

        @Override
        public void giveBack(int epoch, Long[] taken) {
            // nobody asks for them twice
        }
    }

    public Claim claim() {
        return claim;
    }

    /** The one job that it claimed by itself. */
    public Job claimAlone(String queue) throws SQLException {
        List<Job> jobs = claim.claimAlone(1, queue, Kinds.EVERY);
        if (jobs.size() != 1) {
            throw new AssertionError("not one job but " + jobs);
        }
        return jobs.get(0);
    }

    public boolean acknowledge(Job job) throws SQLException {
        return transitions.acknowledge(connection, List.of(job));
    }

    public String fail(Job job, String error) throws SQLException {
        return transitions.fail(connection, job, error);
    }

    public void release(Job job) throws SQLException {
        transitions.release(connection, job);
    }

    public void defer(Job job, Duration delay) throws SQLException {
        transitions.defer(connection, job, delay);
    }

    /** Its heart stopped long ago. */
    public void die() throws SQLException {
        fixture.execute("update sluice.node set seen_at = clock_timestamp() - interval '2 min' where id = " + id());
    }

    /** Rescues what nodes left that are silent for {@link #TIMEOUT}, and what it does not know of its own. */
    public long rescue(Long... known) throws SQLException {
        return row.rescue(known);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
