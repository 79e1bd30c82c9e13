package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Takes half a minute: it starts PostgreSQL, and every contender empties a few backlogs. */
class DrainIT {

    @Test
    @DisplayName(
            "The jar empties backlogs in every way, loses and doubles nothing, and compares the engine with bare SQL")
    void drain(@TempDir Path elsewhere) throws Exception {
        JarRun run = JarRun.of(elsewhere, "drain", "--seconds", "5", "--workers", "4");

        for (String contender : List.of(
                "leased_single",
                "leased_batch",
                "transactional_single",
                "transactional_batch",
                "bare_own",
                "bare_textbook")) {
            assertTrue(run.number(contender) > 0, contender + ": " + run.result());
            assertTrue(run.number(contender + "_jobs") > 0, contender + ": " + run.result());
        }
        double fasterBare = Math.max(run.number("bare_own"), run.number("bare_textbook"));
        assertAll(
                () -> assertEquals(run.number("transactional_batch") / fasterBare, run.number("ratio_bare"), 0.001),
                () -> assertEquals(0, run.number("lost")),
                () -> assertEquals(0, run.number("doubled")),
                () -> assertEquals(0, run.number("left")),
                () -> assertEquals(run.number("enqueued"), run.number("delivered")),
                () -> assertEquals(4, run.number("workers")),
                () -> assertTrue(run.progress().contains("(warm-up)"), run.progress()),
                () -> assertTrue(run.samples().size() > 5, run.samples().toString()));
    }
}
