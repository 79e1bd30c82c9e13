package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Transitions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** What becomes of jobs that a node has: everything but the end of a transaction that was begun. */
final class HandlerSteps {

    private static final Transitions TRANSITIONS = new Transitions(World.SCHEMA);

    private HandlerSteps() {}

    static void addTo(Steps steps) {
        steps.add("acknowledge", 30, (world, random) -> acknowledge(world, random, false));
        steps.add("acknowledge and commit", 12, (world, random) -> acknowledge(world, random, true));
        steps.add("put back leased", 20, HandlerSteps::putBackLeased);
        steps.add("ask for a lost answer", 40, HandlerSteps::decide);
        steps.add("take", 15, (world, random) -> take(world, random, false));
        steps.add("take and commit", 5, (world, random) -> take(world, random, true));
        steps.add("put back taken", 40, HandlerSteps::putBackTaken);
        steps.add("take again", 30, HandlerSteps::retake);
        steps.add("forget what was taken", 15, HandlerSteps::forgetTaken);
    }

    private static <T> T some(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** A node that has such jobs; null if none has. */
    private static ModelNode nodeWith(Function<ModelNode, List<Job>> jobs, World world, Random random) {
        List<ModelNode> some = world.nodes().stream()
                .filter(node -> !jobs.apply(node).isEmpty())
                .toList();
        return some.isEmpty() ? null : some(some, random);
    }

    private static String acknowledge(World world, Random random, boolean commit) throws SQLException {
        ModelNode node = nodeWith(ModelNode::idle, world, random);
        if (node == null) {
            return null;
        }
        Session session = world.borrow(Role.HANDLER);
        if (session == null) {
            return null;
        }
        long lease = some(node.idle(), random).lease();
        List<Job> jobs = node.idle().stream()
                .filter(job -> job.lease() == lease)
                .limit(Math.max(1, random.nextInt(6) - 1))
                .toList();
        HandlerTransaction handler = HandlerTransaction.acknowledge(world, session, node, jobs);
        if (handler == null) {
            return "refused, " + NodeSteps.ids(jobs) + " by " + node;
        }
        if (random.nextInt(2) == 0) {
            handler.loseAnswer();
        }
        return (commit ? handler.commit() + ", " : "") + handler + " by " + node;
    }

    private interface Transition {
        void apply(Connection connection, Job job) throws SQLException;
    }

    private static String putBack(World world, Job job, Random random) throws SQLException {
        Session session = world.borrow(Role.SETTLEMENT);
        if (session == null) {
            return null;
        }
        int which = random.nextInt(4);
        Transition transition = switch (which) {
            case 0 -> (connection, it) -> TRANSITIONS.fail(connection, it, "failed");
            case 1 -> TRANSITIONS::release;
            case 2 -> TRANSITIONS::isolate;
            default -> (connection, it) -> TRANSITIONS.defer(connection, it, Duration.ofMillis(random.nextInt(4)));
        };
        try {
            boolean did = Attempt.at(() -> transition.apply(session.connection(), job));
            return did ? List.of("fail", "release", "isolate", "defer").get(which) : null;
        } finally {
            world.giveBack(session);
        }
    }

    private static String putBackLeased(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::idle, world, random);
        if (node == null) {
            return null;
        }
        Job job = node.idle().remove(random.nextInt(node.idle().size()));
        String how = putBack(world, job, random);
        node.held().done(job, how != null);
        return how + " " + job.id() + " by " + node;
    }

    private static String putBackTaken(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::rolledBack, world, random);
        if (node == null) {
            return null;
        }
        Job job = node.rolledBack().remove(random.nextInt(node.rolledBack().size()));
        return putBack(world, job, random) + " " + job.id() + " by " + node;
    }

    private static String forgetTaken(World world, Random random) {
        ModelNode node = nodeWith(ModelNode::rolledBack, world, random);
        if (node == null) {
            return null;
        }
        List<Long> ids = NodeSteps.ids(node.rolledBack());
        node.rolledBack().clear();
        return ids + " by " + node;
    }

    private static String decide(World world, Random random) throws SQLException {
        ModelNode node = some(world.nodes(), random);
        return node.doubts().isEmpty() ? null : decide(world, node);
    }

    /** Asks what became of an acknowledgement, and checks the answer. */
    static String decide(World world, ModelNode node) throws SQLException {
        Session session = world.borrow(Role.SETTLEMENT);
        if (session == null) {
            return null;
        }
        ModelNode.Doubt doubt = node.doubts().remove(0);
        Boolean[] answer = new Boolean[1];
        try {
            Attempt.at(() -> answer[0] = TRANSITIONS.acknowledged(session.connection(), doubt.job()));
        } finally {
            world.giveBack(session);
        }
        if (answer[0] == null) {
            node.held().done(doubt.job(), false);
        } else if (answer[0] != doubt.committed()) {
            throw new AssertionError("The acknowledgement of " + doubt.job() + " by " + node + " is said to be "
                    + (answer[0] ? "committed" : "rolled back") + ", and was not");
        } else if (answer[0]) {
            node.held().done(doubt.job(), true);
        } else {
            node.idle().add(doubt.job());
        }
        return answer[0] + " of " + doubt.job().id() + " by " + node;
    }

    private static String take(World world, Random random, boolean commit) throws SQLException {
        ModelNode node = some(world.nodes(), random);
        Session session = world.borrow(Role.HANDLER);
        if (session == null) {
            return null;
        }
        String queue = World.queue(random);
        Kinds kinds = NodeSteps.kinds(random);
        HandlerTransaction handler = HandlerTransaction.take(world, session, node, queue, kinds, 1 + random.nextInt(5));
        if (handler == null) {
            return "nothing of " + queue + " by " + node;
        }
        return (commit ? handler.commit() + ", " : "") + handler + " by " + node;
    }

    private static String retake(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::rolledBack, world, random);
        if (node == null) {
            return null;
        }
        Session session = world.borrow(Role.HANDLER);
        if (session == null) {
            return null;
        }
        Job job = node.rolledBack().remove(random.nextInt(node.rolledBack().size()));
        HandlerTransaction handler = HandlerTransaction.retake(world, session, node, job);
        return handler == null ? "gone, " + job.id() + " by " + node : handler + " by " + node;
    }
}
