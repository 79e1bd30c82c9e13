package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Take;
import dev.sluice.engine.queue.Transitions;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** A handler's work, one row of the ledger for each of its jobs, with their acknowledgement. */
final class HandlerTransaction extends Transaction {

    private static final Take TAKE = new Take(World.SCHEMA);
    private static final Transitions TRANSITIONS = new Transitions(World.SCHEMA);

    private final ModelNode node;
    private boolean leased;
    private List<Job> jobs = List.of();
    private boolean answerLost;

    HandlerTransaction(World world, Session session, ModelNode node) throws SQLException {
        super(world, session);
        this.node = node;
    }

    /** Acknowledges idle jobs of the node, of one lease. If it cannot, it is rolled back, and this is false. */
    boolean acknowledge(List<Job> idle) throws SQLException {
        leased = true;
        jobs = List.copyOf(idle);
        node.idle().removeAll(jobs);
        boolean[] ours = new boolean[1];
        return attempt(() -> {
                    work();
                    ours[0] = TRANSITIONS.acknowledge(connection(), jobs);
                })
                && orRollBack(ours[0]);
    }

    /** Takes jobs. If there are none, it is rolled back, and this is false. */
    boolean take(String queue, Kinds kinds, int most) throws SQLException {
        return attempt(() -> {
                    jobs = TAKE.take(connection(), node.epochs(), queue, kinds, most);
                    work();
                })
                && orRollBack(!jobs.isEmpty());
    }

    /** Takes a job again. If it is not there any more, it is rolled back, and this is false. */
    boolean retake(Job job) throws SQLException {
        return attempt(() -> {
                    if (TAKE.retake(connection(), job)) {
                        jobs = List.of(job);
                        work();
                    }
                })
                && orRollBack(!jobs.isEmpty());
    }

    private boolean orRollBack(boolean did) throws SQLException {
        if (!did) {
            rollback();
        }
        return did;
    }

    private void work() throws SQLException {
        for (Job job : jobs) {
            String expected = ProducerTransaction.payload(job.queue(), job.kind(), job.priority());
            if (!job.payload().equals(expected)) {
                throw new AssertionError(job + " has become another: " + job.payload());
            }
        }
        try (PreparedStatement insert =
                connection().prepareStatement("insert into ledger select unnest(?::bigint[])")) {
            insert.setArray(
                    1,
                    connection()
                            .createArrayOf("bigint", jobs.stream().map(Job::id).toArray()));
            insert.executeUpdate();
        }
    }

    /** What becomes of it is not heard of, if it can be asked for later. */
    void loseAnswer() {
        answerLost = leased && jobs.size() == 1;
    }

    @Override
    void ended(boolean committed) {
        if (!leased) {
            if (!committed) {
                node.rolledBack().addAll(jobs);
            }
        } else if (answerLost) {
            node.doubts().add(new ModelNode.Doubt(jobs.get(0), committed));
        } else if (committed) {
            jobs.forEach(job -> node.held().done(job, true));
        } else {
            node.idle().addAll(jobs);
        }
    }

    @Override
    public String toString() {
        return (leased ? "acknowledgement of " : "handler that took ")
                + (jobs.size() > 20
                        ? jobs.size() + " jobs"
                        : jobs.stream().map(Job::id).toList())
                + " by " + node;
    }
}
