package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Takes half a minute: it starts PostgreSQL and Open Liberty, and has a few seconds of load. */
class CommitIT {

    @Test
    @DisplayName("The jar measures commits from any folder, and its last line says what, with no job lost or doubled")
    void commit(@TempDir Path elsewhere) throws Exception {
        JarRun run = JarRun.of(elsewhere, "commit", "--seconds", "5", "--workers", "8");
        JsonNode result = run.result();
        for (String rate : List.of(
                "noop_per_s",
                "shared_per_s",
                "jpa_per_s",
                "twophase_per_s",
                "shared_over_twophase",
                "commits_per_job")) {
            assertTrue(result.path(rate).asDouble() > 0, rate + ": " + result);
        }
        assertAll(
                () -> assertEquals(0, result.path("lost").asLong(-1)),
                () -> assertEquals(0, result.path("doubled").asLong(-1)),
                () -> assertEquals(0, result.path("strange").asLong(-1)),
                () -> assertEquals(0, result.path("prepares_shared").asLong(-1)),
                () -> assertEquals(0, result.path("failed").asLong(-1)),
                () -> assertEquals(
                        result.path("enqueued").asLong(),
                        result.path("delivered").asLong()),
                () -> assertEquals("leased", result.path("mode").asString()),
                () -> assertEquals(8, result.path("workers").asInt()),
                () -> assertTrue(run.progress().contains("dead tuples"), run.progress()));
        assertTrue(run.samples().size() > 5, run.samples().toString());
    }
}
