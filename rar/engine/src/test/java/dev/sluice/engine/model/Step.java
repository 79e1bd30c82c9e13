package dev.sluice.engine.model;

import java.sql.SQLException;
import java.util.Random;

/** Something that may happen next. */
interface Step {

    /** Returns what happened, for the trace; null if it is not possible now. */
    String run(World world, Random random) throws SQLException;

    /** One of the two nodes; null if its connection is in use. */
    static ModelNode someNode(World world, Random random) {
        ModelNode node = world.nodes().get(random.nextInt(world.nodes().size()));
        return node.busy() ? null : node;
    }
}
