package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Takes over a minute: a short run, and then the jobs of the node that was killed are rescued. */
class PinIT {

    private static final long LIMIT_MINUTES = 5;

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
        Path results = elsewhere.resolve("results");
        Path out = elsewhere.resolve("out");
        Path err = elsewhere.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("bench.jar"),
                        "pin",
                        "--pin",
                        "prepared",
                        "--seconds",
                        "20",
                        "--rate",
                        "200",
                        "--mix",
                        "--out",
                        results.toString())
                .directory(elsewhere.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertTrue(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES));
        String progress = Files.readString(err);
        assertEquals(0, process.exitValue(), progress);

        List<String> lines = Files.readAllLines(out);
        JsonNode result = JsonMapper.shared().readTree(lines.get(lines.size() - 1));
        assertEquals(KEYS, List.copyOf(result.propertyNames()));
        for (String key : KEYS) {
            assertTrue(result.path(key).isNumber(), key + ": " + result);
        }
        for (String counted :
                List.of("claim_p50_control", "claim_p50_pinned", "buffers_pinned", "dead_max", "bytes_max")) {
            assertTrue(result.path(counted).asDouble() > 0, counted + ": " + result);
        }
        assertAll(
                () -> assertEquals(0, result.path("lost").asLong(-1), progress),
                () -> assertEquals(0, result.path("doubled").asLong(-1), progress),
                () -> assertTrue(result.path("enqueued").asLong() >= 20 * 200, result.toString()),
                () -> assertEquals(
                        result.path("enqueued").asLong(), result.path("done").asLong()),
                () -> assertTrue(result.path("wal_per_job").asDouble() > 100, result.toString()),
                () -> assertTrue(progress.contains("pinned: prepared"), progress));
        List<String> samples = Files.readAllLines(results.resolve("samples.csv"));
        assertTrue(samples.size() > 20, samples.toString());
        assertTrue(ImageIO.read(results.resolve("chart.png").toFile()).getHeight() > 100);
        assertTrue(Files.readString(results.resolve("chart.svg")).contains("<svg"));
    }
}
