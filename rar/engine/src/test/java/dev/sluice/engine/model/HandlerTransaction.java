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
    private final boolean leased;
    private List<Job> jobs = List.of();
    private boolean answerLost;

    private HandlerTransaction(World world, Session session, ModelNode node, boolean leased) throws SQLException {
        super(world, session);
        this.node = node;
        this.leased = leased;
    }

    /** Acknowledges idle jobs of the node, of one lease; null if that could not be. */
    static HandlerTransaction acknowledge(World world, Session session, ModelNode node, List<Job> jobs)
            throws SQLException {
        HandlerTransaction handler = new HandlerTransaction(world, session, node, true);
        handler.jobs = List.copyOf(jobs);
        node.idle().removeAll(handler.jobs);
        boolean[] ours = new boolean[1];
        if (!handler.attempt(() -> {
            handler.work();
            ours[0] = TRANSITIONS.acknowledge(handler.connection(), handler.jobs);
        })) {
            return null;
        }
        if (!ours[0]) {
            handler.rollback();
            return null;
        }
        return handler;
    }

    /** Takes jobs; null if there were none, or that could not be. */
    static HandlerTransaction take(World world, Session session, ModelNode node, String queue, Kinds kinds, int most)
            throws SQLException {
        HandlerTransaction handler = new HandlerTransaction(world, session, node, false);
        if (!handler.attempt(() -> {
            List<Job> taken = TAKE.take(handler.connection(), node.epochs(), queue, kinds, most);
            handler.jobs = taken;
            handler.work();
        })) {
            return null;
        }
        if (handler.jobs.isEmpty()) {
            handler.rollback();
            return null;
        }
        return handler;
    }

    /** Takes a job again; null if it is not there any more. */
    static HandlerTransaction retake(World world, Session session, ModelNode node, Job job) throws SQLException {
        HandlerTransaction handler = new HandlerTransaction(world, session, node, false);
        if (!handler.attempt(() -> {
            if (TAKE.retake(handler.connection(), job)) {
                handler.jobs = List.of(job);
                handler.work();
            }
        })) {
            return null;
        }
        if (handler.jobs.isEmpty()) {
            handler.rollback();
            return null;
        }
        return handler;
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

    int size() {
        return jobs.size();
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
                        : jobs.stream().map(Job::id).toList());
    }
}
