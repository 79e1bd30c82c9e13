package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
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

    static <T> T some(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** A node that has such jobs; null if none has. */
    static ModelNode nodeWith(Function<ModelNode, List<Job>> jobs, World world, Random random) {
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
        HandlerTransaction handler = begin(world, node);
        if (handler == null) {
            return null;
        }
        if (!handler.acknowledge(someIdle(node, random))) {
            return "refused, " + handler;
        }
        if (random.nextInt(2) == 0) {
            handler.loseAnswer();
        }
        return (commit ? handler.commit() + ", " : "") + handler;
    }

    /** Some of the idle jobs of a lease. */
    static List<Job> someIdle(ModelNode node, Random random) {
        Long lease = some(node.idle(), random).lease();
        return node.idle().stream()
                .filter(job -> job.lease().equals(lease))
                .limit(Math.max(1, random.nextInt(6) - 1))
                .toList();
    }

    /** The transaction of a handler; null if there are enough. */
    static HandlerTransaction begin(World world, ModelNode node) throws SQLException {
        Session session = world.borrow(Role.HANDLER);
        return session == null ? null : new HandlerTransaction(world, session, node);
    }

    /** What is done with a job that does not run. */
    record Transition(String name, Job job, Attempt.Action action) {

        @Override
        public String toString() {
            return name + " " + job.id();
        }
    }

    static Transition someTransition(Session session, Job job, Random random) {
        Connection connection = session.connection();
        return switch (random.nextInt(4)) {
            case 0 -> new Transition("fail", job, () -> TRANSITIONS.fail(connection, job, "failed"));
            case 1 -> new Transition("release", job, () -> TRANSITIONS.release(connection, job));
            case 2 -> new Transition("isolate", job, () -> TRANSITIONS.isolate(connection, job));
            default -> {
                Duration delay = Duration.ofMillis(random.nextInt(4));
                yield new Transition("defer", job, () -> TRANSITIONS.defer(connection, job, delay));
            }
        };
    }

    private static String putBackLeased(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::idle, world, random);
        if (node == null) {
            return null;
        }
        Session session = world.borrow(Role.SETTLEMENT);
        if (session == null) {
            return null;
        }
        Job job = node.idle().remove(random.nextInt(node.idle().size()));
        Transition transition = someTransition(session, job, random);
        boolean did = Attempt.at(transition.action());
        world.giveBack(session);
        node.held().done(job, did);
        return did + ", " + transition + " by " + node;
    }

    private static String putBackTaken(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::rolledBack, world, random);
        if (node == null) {
            return null;
        }
        Session session = world.borrow(Role.SETTLEMENT);
        if (session == null) {
            return null;
        }
        Job job = node.rolledBack().remove(random.nextInt(node.rolledBack().size()));
        Transition transition = someTransition(session, job, random);
        boolean did = Attempt.at(transition.action());
        world.giveBack(session);
        return did + ", " + transition + " by " + node;
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
        HandlerTransaction handler = begin(world, some(world.nodes(), random));
        if (handler == null) {
            return null;
        }
        String queue = World.queue(random);
        if (!handler.take(queue, NodeSteps.kinds(random), 1 + random.nextInt(5))) {
            return "nothing of " + queue + ", " + handler;
        }
        return (commit ? handler.commit() + ", " : "") + handler;
    }

    private static String retake(World world, Random random) throws SQLException {
        ModelNode node = nodeWith(ModelNode::rolledBack, world, random);
        if (node == null) {
            return null;
        }
        HandlerTransaction handler = begin(world, node);
        if (handler == null) {
            return null;
        }
        Job job = node.rolledBack().remove(random.nextInt(node.rolledBack().size()));
        return handler.retake(job) + ", " + job.id() + ", " + handler;
    }
}
