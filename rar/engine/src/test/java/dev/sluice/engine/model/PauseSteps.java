package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;

/** Stops statements half way, and lets them go on. */
final class PauseSteps {

    private static final int FURTHEST = 4;

    private PauseSteps() {}

    static void addTo(Steps steps) {
        steps.add("pause a rotation", 8, pausing(PauseSteps::rotation));
        steps.add("pause a sweep", 4, pausing(PauseSteps::sweep));
        steps.add("pause a rescue", 4, pausing(PauseSteps::rescue));
        steps.add("pause a claim", 4, pausing(PauseSteps::claim));
        steps.add("pause an isolation", 2, pausing(PauseSteps::isolate));
        steps.add("pause a take", 3, pausing(PauseSteps::take));
        steps.add("pause an acknowledgement", 8, pausing(PauseSteps::acknowledge));
        steps.add("pause putting back", 8, pausing(PauseSteps::putBack));
        steps.add("go on", 16, PauseSteps::goOn);
    }

    /** One is enough at a time. */
    private static Step pausing(Step step) {
        return (world, random) -> {
            String what = world.paused() == null ? step.run(world, random) : null;
            return what == null ? null : what + (world.paused() == null ? ", to its end" : ", stopped");
        };
    }

    private static String rotation(World world, Random random) throws SQLException {
        Session session = world.borrow(Role.ROTATION);
        if (session == null) {
            return null;
        }
        RotationSteps.Call call = RotationSteps.someMove(world, random);
        world.pause(session, place(random), () -> call.on(session), () -> world.giveBack(session));
        return call.toString();
    }

    private static String sweep(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        return node == null ? null : pause(world, node, () -> node.sweep(World.QUEUES), random);
    }

    private static String rescue(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        if (node == null) {
            return null;
        }
        for (ModelNode other : world.nodes()) {
            if (other != node && !other.idle().isEmpty()) {
                other.growOld("2 min");
            }
        }
        return pause(world, node, node::rescue, random);
    }

    private static String claim(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        String queue = World.queue(random);
        Kinds kinds = NodeSteps.kinds(random);
        int most = 1 + random.nextInt(10);
        return node == null ? null : queue + ", " + pause(world, node, () -> node.claim(queue, most, kinds), random);
    }

    private static String isolate(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        return node == null
                        || node.findings() == null
                        || node.findings().taken().isEmpty()
                ? null
                : pause(world, node, node::isolate, random);
    }

    private static String pause(World world, ModelNode node, Attempt.Action action, Random random) throws SQLException {
        node.busy(true);
        world.pause(node.control(), place(random), action, () -> node.busy(false));
        return node.toString();
    }

    private static String take(World world, Random random) throws SQLException {
        HandlerTransaction handler = HandlerSteps.begin(world, HandlerSteps.some(world.nodes(), random));
        if (handler == null) {
            return null;
        }
        String queue = World.queue(random);
        Kinds kinds = NodeSteps.kinds(random);
        int most = 1 + random.nextInt(5);
        pause(world, handler, () -> handler.take(queue, kinds, most), random);
        return handler.toString();
    }

    private static String acknowledge(World world, Random random) throws SQLException {
        ModelNode node = HandlerSteps.nodeWith(ModelNode::idle, world, random);
        HandlerTransaction handler = node == null ? null : HandlerSteps.begin(world, node);
        if (handler == null) {
            return null;
        }
        List<Job> jobs = HandlerSteps.someIdle(node, random);
        pause(world, handler, () -> handler.acknowledge(jobs), random);
        return handler.toString();
    }

    /** It cannot be ended before it has gone on. */
    private static void pause(World world, HandlerTransaction handler, Attempt.Action action, Random random)
            throws SQLException {
        handler.busy(true);
        world.pause(handler.session(), place(random), action, () -> handler.busy(false));
    }

    private static String putBack(World world, Random random) throws SQLException {
        ModelNode node = HandlerSteps.nodeWith(ModelNode::idle, world, random);
        Session session = node == null ? null : world.borrow(Role.SETTLEMENT);
        if (session == null) {
            return null;
        }
        Job job = node.idle().remove(random.nextInt(node.idle().size()));
        HandlerSteps.Transition transition = HandlerSteps.someTransition(session, job, random);
        // if it cannot be done now, nobody knows
        boolean[] did = new boolean[1];
        world.pause(
                session,
                place(random),
                () -> {
                    transition.action().run();
                    did[0] = true;
                },
                () -> {
                    world.giveBack(session);
                    node.held().done(job, did[0]);
                });
        return transition + " by " + node;
    }

    private static int place(Random random) {
        return Math.max(1, random.nextInt(FURTHEST + 2) - 1);
    }

    private static String goOn(World world, Random random) throws SQLException {
        if (world.paused() == null) {
            return null;
        }
        world.goOn();
        return "";
    }
}
