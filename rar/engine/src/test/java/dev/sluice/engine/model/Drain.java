package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Lane;
import dev.sluice.engine.queue.Sweep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings the world to rest: all transactions end, and one node does what is left, with what it remembers of positions. What
 * waits has to be reached by two of its sweeps.
 */
final class Drain {

    private static final int MOST = 5_000;

    private static final int SWEEPS_TO_REACH_ALL = 2;

    /** How many rounds in a row may change nothing: two looks isolate a job, and the next sweep sees it. */
    private static final int PATIENCE = 5;

    private record Remains(long jobs, long claims, long scheduled, long dead, long passedBy) {
        boolean none() {
            return jobs + claims + scheduled + dead == 0;
        }
    }

    private final World world;
    private final Random random;
    private final List<String> trace;

    Drain(World world, Random random, List<String> trace) {
        this.world = world;
        this.random = random;
        this.trace = trace;
    }

    void run() throws SQLException {
        if (world.paused() != null) {
            world.goOn();
        }
        for (Transaction transaction : List.copyOf(world.transactions())) {
            if (!transaction.staysOpen()) {
                end(transaction);
            }
        }
        for (ModelNode node : world.nodes()) {
            node.beat();
            rest(node);
        }
        ModelNode drainer = world.nodes().get(random.nextInt(world.nodes().size()));
        boolean leased = random.nextBoolean();
        trace.add("drain by " + drainer + (leased ? ", leased" : ", transactional"));
        drain(drainer, leased);
    }

    private void end(Transaction transaction) throws SQLException {
        if (random.nextInt(3) == 0) {
            trace.add("at last roll back " + transaction);
            transaction.rollback();
        } else {
            trace.add("at last commit " + transaction);
            transaction.commit();
        }
    }

    /** What the node has it acknowledges, or does not know of any more. */
    private void rest(ModelNode node) throws SQLException {
        while (!node.doubts().isEmpty()) {
            trace.add("ask: " + HandlerSteps.decide(world, node));
        }
        if (random.nextBoolean()) {
            while (!node.idle().isEmpty()) {
                Long lease = node.idle().get(0).lease();
                List<Job> jobs = node.idle().stream()
                        .filter(job -> job.lease().equals(lease))
                        .toList();
                trace.add("at last acknowledge " + NodeSteps.ids(jobs) + " by " + node);
                if (!acknowledge(node, jobs)) {
                    node.idle().removeAll(jobs);
                    jobs.forEach(job -> node.held().done(job, false));
                }
            }
        } else {
            node.idle().forEach(job -> node.held().done(job, false));
            node.idle().clear();
        }
        node.rolledBack().clear();
    }

    private boolean acknowledge(ModelNode node, List<Job> jobs) throws SQLException {
        HandlerTransaction handler = HandlerSteps.begin(world, node);
        return handler.acknowledge(jobs) && handler.commit();
    }

    private void drain(ModelNode node, boolean leased) throws SQLException {
        long drawn = Long.parseLong(world.query("select last_value from sluice.job_pos"));
        long left = Long.MAX_VALUE;
        int unchanged = 0;
        for (int sweeps = 1; ; sweeps++) {
            round(node, leased);
            Remains remains = remains(drawn);
            if (remains.none()) {
                return;
            }
            if (remains.claims() > 0) {
                freeClaims();
                continue;
            }
            if (sweeps >= SWEEPS_TO_REACH_ALL && remains.passedBy() > 0) {
                throw new AssertionError(
                        "not reached by " + sweeps + " sweeps of " + node + ": " + remains + ", drawn " + drawn);
            }
            unchanged = remains.jobs() + remains.scheduled() == left ? unchanged + 1 : 0;
            left = remains.jobs() + remains.scheduled();
            if (unchanged > PATIENCE) {
                throw new AssertionError("cannot be brought to rest by " + node + ": " + remains);
            }
        }
    }

    /** What a node does in a second. */
    private void round(ModelNode node, boolean leased) throws SQLException {
        node.forget();
        Sweep.Findings findings = node.sweep(World.QUEUES);
        List<Kinds> all = random.nextInt(4) == 0 ? World.KINDS_APART : List.of(Kinds.EVERY);
        for (String queue : World.QUEUES) {
            for (Kinds kinds : all) {
                while (leased ? claim(node, queue, kinds) : take(node, queue, kinds)) {
                    // as long as there are some
                }
            }
        }
        for (Lane lane : findings.alone()) {
            while (true) {
                List<Job> jobs = node.claimAlone(lane.epoch(), lane.queue());
                if (jobs.isEmpty()) {
                    break;
                }
                acknowledgeOwn(node, jobs);
            }
        }
        if (!findings.taken().isEmpty()) {
            node.isolate();
        }
        node.forget();
    }

    private boolean claim(ModelNode node, String queue, Kinds kinds) throws SQLException {
        if (node.claim(queue, MOST, kinds).isEmpty()) {
            return false;
        }
        while (!node.idle().isEmpty()) {
            Long lease = node.idle().get(0).lease();
            acknowledgeOwn(
                    node,
                    node.idle().stream()
                            .filter(job -> job.lease().equals(lease))
                            .toList());
        }
        return true;
    }

    private void acknowledgeOwn(ModelNode node, List<Job> jobs) throws SQLException {
        if (!acknowledge(node, jobs)) {
            throw new AssertionError("not acknowledged: " + jobs);
        }
    }

    private boolean take(ModelNode node, String queue, Kinds kinds) throws SQLException {
        HandlerTransaction handler = HandlerSteps.begin(world, node);
        return handler.take(queue, kinds, MOST) && handler.commit();
    }

    /** Time goes by, and what nobody knows of is rescued. */
    private void freeClaims() throws SQLException {
        world.execute("select age_claims()");
        for (ModelNode node : world.nodes()) {
            node.forget();
            node.rescue();
        }
    }

    private Remains remains(long drawn) throws SQLException {
        try (Statement statement = world.observer().createStatement();
                ResultSet row = statement.executeQuery("select jobs, claims, scheduled, dead, passed_by,"
                        + " extract(epoch from due_in) * 1000 from remains(" + drawn + ")")) {
            row.next();
            double millis = row.getDouble(6);
            if (millis > 0) {
                LockSupport.parkNanos((long) (millis * 1e6));
            }
            return new Remains(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
        }
    }
}
