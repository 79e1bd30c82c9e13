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

/** Takes over a minute: a short run, and then the jobs of the node that was killed are rescued. */
class PinIT {

    private static final List<String> KEYS = List.of(
            "enqueued",
            "done",
            "lost",
            "doubled",
            "depth_end",
            "depth_max",
            "claim_p50_control",
            "claim_p99_control",
            "claim_p50_pinned",
            "claim_p99_pinned",
            "claim_max",
            "dead_at_max",
            "buffers_control",
            "buffers_pinned",
            "cold_claim_ms",
            "dead_max",
            "dead_end",
            "bytes_max",
            "bytes_end",
            "bytes_at_70",
            "wal_per_job",
            "throughput_ratio",
            "idle_statements_per_s");

    @Test
    @DisplayName("A short run has all numbers, and of all jobs none is lost or doubled though a node was killed")
    void pin(@TempDir Path elsewhere) throws Exception {
        JarRun run = JarRun.of(elsewhere, "pin", "--pin", "prepared", "--seconds", "20", "--rate", "200", "--mix");
        JsonNode result = run.result();
        assertEquals(KEYS, List.copyOf(result.propertyNames()));
        for (String key : KEYS) {
            assertTrue(result.path(key).isNumber(), key + ": " + result);
        }
        for (String counted :
                List.of("claim_p50_control", "claim_p50_pinned", "buffers_pinned", "dead_max", "bytes_max")) {
            assertTrue(result.path(counted).asDouble() > 0, counted + ": " + result);
        }
        assertAll(
                () -> assertEquals(0, result.path("lost").asLong(-1), run.progress()),
                () -> assertEquals(0, result.path("doubled").asLong(-1), run.progress()),
                () -> assertTrue(result.path("enqueued").asLong() >= 20 * 200, result.toString()),
                () -> assertEquals(
                        result.path("enqueued").asLong(), result.path("done").asLong()),
                () -> assertTrue(result.path("wal_per_job").asDouble() > 100, result.toString()),
                () -> assertTrue(run.progress().contains("pinned: prepared"), run.progress()));
        assertTrue(run.samples().size() > 20, run.samples().toString());
    }
}
