package dev.sluice.engine.model;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;

/** Interleavings one after another in one world: what a node remembers of positions lasts from one to the next. */
final class Series implements Callable<Map<String, Integer>> {

    private static final int CRASHES = 10;
    private static final int BULKS = 2;

    /** How many interleavings are shown before the one that failed. */
    private static final int SHOWN = 3;

    private final String name;
    private final int count;
    private final Random seeds;
    private final Steps steps = new Steps();
    private final Deque<String> traces = new ArrayDeque<>();

    /** @param name what to begin with to have it again */
    Series(String name, long seed, int count) {
        this.name = name;
        this.count = count;
        this.seeds = new Random(seed);
    }

    /**
     * Returns how often each step happened.
     *
     * @throws AssertionError at the first interleaving that fails, with what happened in it
     */
    @Override
    public Map<String, Integer> call() throws Exception {
        try (World world = new World()) {
            for (int nth = 0; nth < count && !Thread.currentThread().isInterrupted(); nth++) {
                Interleaving interleaving = new Interleaving(world, steps, seeds.nextLong(), event(nth));
                try {
                    interleaving.run();
                } catch (Exception | AssertionError e) {
                    show(nth, interleaving);
                    throw new AssertionError(
                            "interleaving " + nth + " of " + name + ": " + e.getMessage() + "\n"
                                    + String.join("\n", traces),
                            e);
                }
                show(nth, interleaving);
            }
        }
        return steps.happened();
    }

    private Interleaving.Event event(int nth) {
        if (nth % Math.max(1, count / CRASHES) == 13) {
            return Interleaving.Event.CRASH;
        }
        return nth % Math.max(1, count / BULKS) == 7 ? Interleaving.Event.BULK : Interleaving.Event.NONE;
    }

    private void show(int nth, Interleaving interleaving) {
        traces.add("-- " + nth + "\n" + String.join("\n", interleaving.trace()));
        if (traces.size() > SHOWN + 1) {
            traces.remove();
        }
    }
}
