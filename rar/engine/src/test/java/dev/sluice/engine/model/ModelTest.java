package dev.sluice.engine.model;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Producers, two nodes and maintenance at work on one database, in orders that a seed determines. {@code
 * -Dsluice.model.seed} runs the orders of one seed again, {@code -Dsluice.model.series} only one of its series, and {@code
 * -Dsluice.model.interleavings} says how many there are in all.
 */
class ModelTest {

    /** As many as run side by side, each in a PostgreSQL of its own. */
    private static final int SERIES = 2;

    @Test
    @Timeout(1_800)
    @DisplayName("No job is lost, skipped or run twice, in whatever order things happen")
    void noJobIsLostOrRunTwice() throws Exception {
        long seed = Long.getLong("sluice.model.seed", System.nanoTime());
        int count = Integer.getInteger("sluice.model.interleavings", 10_000);
        Integer only = Integer.getInteger("sluice.model.series");
        String again = "-Dsluice.model.seed=" + seed + " -Dsluice.model.interleavings=" + count;
        System.out.println("ModelTest: " + again);
        long begun = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(SERIES);
        Map<String, Integer> happened = new TreeMap<>();
        try {
            CompletionService<Map<String, Integer>> series = new ExecutorCompletionService<>(threads);
            int running = 0;
            for (int number = 1; number <= SERIES; number++) {
                if (only == null || only == number) {
                    String one = again + " -Dsluice.model.series=" + number;
                    series.submit(new Series(one, seed + number, count / SERIES));
                    running++;
                }
            }
            for (; running > 0; running--) {
                // the first that fails is enough
                series.take().get().forEach((step, times) -> happened.merge(step, times, Integer::sum));
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause().getMessage(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
        System.out.printf(
                "ModelTest: %d interleavings in %.1f s; steps %s%n",
                count, (System.nanoTime() - begun) / 1e9, happened);
    }
}
