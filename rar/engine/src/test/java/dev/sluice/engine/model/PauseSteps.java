package dev.sluice.engine.model;

import java.sql.SQLException;
import java.util.Random;

/** Stops statements half way, and lets them go on. */
final class PauseSteps {

    private static final int FURTHEST = 3;

    private PauseSteps() {}

    static void addTo(Steps steps) {
        steps.add("pause a rotation", 8, PauseSteps::rotation);
        steps.add("pause a sweep", 4, PauseSteps::sweep);
        steps.add("pause a rescue", 4, PauseSteps::rescue);
        steps.add("go on", 12, PauseSteps::goOn);
    }

    private static String rotation(World world, Random random) throws SQLException {
        Session session = world.paused() == null ? world.borrow(Role.ROTATION) : null;
        if (session == null) {
            return null;
        }
        RotationSteps.Call call = RotationSteps.someMove(world, random);
        world.pause(session, place(random), () -> call.on(session), () -> world.giveBack(session));
        return call + stopped(world);
    }

    private static String sweep(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        return node == null ? null : pause(world, node, () -> node.sweep(World.QUEUES), random);
    }

    private static String rescue(World world, Random random) throws SQLException {
        ModelNode node = Step.someNode(world, random);
        if (node == null || world.paused() != null) {
            return null;
        }
        for (ModelNode other : world.nodes()) {
            if (other != node && !other.idle().isEmpty()) {
                other.growOld("2 min");
            }
        }
        return pause(world, node, node::rescue, random);
    }

    private static String pause(World world, ModelNode node, Attempt.Action action, Random random) throws SQLException {
        if (world.paused() != null) {
            return null;
        }
        node.busy(true);
        world.pause(node.control(), place(random), action, () -> node.busy(false));
        return node + stopped(world);
    }

    private static int place(Random random) {
        return Math.max(1, random.nextInt(FURTHEST + 2) - 1);
    }

    private static String stopped(World world) {
        return world.paused() == null ? ", to its end" : ", stopped";
    }

    private static String goOn(World world, Random random) throws SQLException {
        if (world.paused() == null) {
            return null;
        }
        world.goOn();
        return "";
    }
}
