package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes half a minute: it starts PostgreSQL, and 100,000 jobs wait at the end. */
class GrowIT {

    @Test
    @DisplayName("The jar times claims and enqueues at each size that there is time for, and the size stays meanwhile")
    void grow(@TempDir Path elsewhere) throws Exception {
        JarRun run = JarRun.of(elsewhere, "grow", "--seconds", "5");

        for (String size : new String[] {"10000", "100000"}) {
            for (String time : new String[] {"claim_p50_", "claim_p99_", "enqueue_p50_", "enqueue_p99_"}) {
                assertTrue(run.number(time + size) > 0, time + size + ": " + run.result());
            }
        }
        assertAll(
                () -> assertEquals(
                        run.number("claim_p50_100000") / run.number("claim_p50_10000"), run.number("slope"), 0.01),
                () -> assertEquals(100_000, run.number("largest")),
                () -> assertEquals(100_000, run.number("left"), 5_000),
                () -> assertEquals(0, run.number("lost")),
                () -> assertEquals(0, run.number("doubled")),
                () -> assertTrue(run.progress().contains("no time for 1000000 waiting jobs"), run.progress()),
                () -> assertTrue(run.samples().size() > 5, run.samples().toString()));
    }
}
