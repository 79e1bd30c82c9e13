package dev.sluice.engine.model;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A sequence of steps that a seed determines, after which the world is brought to rest and looked at. */
final class Interleaving {

    private static final int FEWEST_STEPS = 8;
    private static final int MOST_STEPS = 24;
    private static final int MANY = 50_000;

    /** What happens in few of them. */
    enum Event {
        NONE,
        /** PostgreSQL crashes once. */
        CRASH,
        /** Many jobs are enqueued at once. */
        BULK
    }

    private final World world;
    private final Steps steps;
    private final Random random;
    private final Event event;
    private final List<String> trace = new ArrayList<>();

    Interleaving(World world, Steps steps, long seed, Event event) {
        this.world = world;
        this.steps = steps;
        this.random = new Random(seed);
        this.event = event;
    }

    /** @throws AssertionError if a job was lost, skipped, or run twice */
    void run() throws SQLException {
        int count = FEWEST_STEPS + random.nextInt(MOST_STEPS - FEWEST_STEPS + 1);
        int eventful = random.nextInt(count);
        if (random.nextInt(4) != 0) {
            trace.add(ProducerSteps.enqueueMany(world, 1 + random.nextInt(12), random));
        }
        for (int step = 0; step < count; step++) {
            if (step == eventful) {
                happen();
            }
            trace.add(steps.one(world, random));
        }
        new Drain(world, random, trace).run();
        world.expectation().verify(world.observer());
    }

    private void happen() throws SQLException {
        switch (event) {
            case CRASH -> {
                if (world.paused() != null) {
                    world.goOn();
                }
                world.restart();
                trace.add("PostgreSQL crashed");
            }
            case BULK -> trace.add(ProducerSteps.enqueueMany(world, MANY, random));
            case NONE -> {}
        }
    }

    /** What happened, a line for each step. */
    List<String> trace() {
        return trace;
    }
}
