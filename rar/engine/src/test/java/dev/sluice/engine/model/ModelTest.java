package dev.sluice.engine.model;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Producers, two nodes and maintenance at work on one database, in orders that a seed determines. {@code
 * -Dsluice.model.seed} runs the orders of one seed again; {@code -Dsluice.model.interleavings} says how many.
 */
class ModelTest {

    private static final int CRASHES = 20;
    private static final int BULKS = 4;

    /** How many interleavings are shown before the one that failed: what a node remembers is of them, too. */
    private static final int SHOWN = 3;

    @Test
    @Timeout(1_800)
    @DisplayName("No job is lost, skipped or run twice, in whatever order things happen")
    void noJobIsLostOrRunTwice() throws Exception {
        long seed = Long.getLong("sluice.model.seed", System.nanoTime());
        int count = Integer.getInteger("sluice.model.interleavings", 10_000);
        System.out.println("ModelTest: -Dsluice.model.seed=" + seed + " -Dsluice.model.interleavings=" + count);
        Random seeds = new Random(seed);
        Steps steps = new Steps();
        Deque<String> traces = new ArrayDeque<>();
        long begun = System.nanoTime();
        try (World world = new World()) {
            for (int nth = 0; nth < count; nth++) {
                Interleaving interleaving = new Interleaving(world, steps, seeds.nextLong(), event(nth, count));
                try {
                    interleaving.run();
                } catch (Throwable e) {
                    traces.add(show(nth, interleaving));
                    throw new AssertionError(
                            "interleaving " + nth + " of -Dsluice.model.seed=" + seed + ": " + e.getMessage() + "\n"
                                    + String.join("\n", traces),
                            e);
                }
                traces.add(show(nth, interleaving));
                if (traces.size() > SHOWN) {
                    traces.remove();
                }
            }
        }

        System.out.printf(
                "ModelTest: %d interleavings in %.1f s; steps %s%n",
                count, (System.nanoTime() - begun) / 1e9, steps.happened());
    }

    private static Interleaving.Event event(int nth, int count) {
        if (nth % Math.max(1, count / CRASHES) == 13) {
            return Interleaving.Event.CRASH;
        }
        return nth % Math.max(1, count / BULKS) == 7 ? Interleaving.Event.BULK : Interleaving.Event.NONE;
    }

    private static String show(int nth, Interleaving interleaving) {
        List<String> trace = interleaving.trace();
        return "-- " + nth + "\n" + String.join("\n", trace);
    }
}
