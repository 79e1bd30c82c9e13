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

/** Takes half a minute: it starts PostgreSQL and Open Liberty, and has a few seconds of load. */
class CommitIT {

    private static final long LIMIT_MINUTES = 5;

    @Test
    @DisplayName("The jar measures commits from any folder, and its last line says what, with no job lost or doubled")
    void commit(@TempDir Path elsewhere) throws Exception {
        Path results = elsewhere.resolve("results");
        Path out = elsewhere.resolve("out");
        Path err = elsewhere.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("bench.jar"),
                        "commit",
                        "--seconds",
                        "5",
                        "--workers",
                        "8",
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
                () -> assertTrue(progress.contains("dead tuples"), progress));
        List<String> samples = Files.readAllLines(results.resolve("samples.csv"));
        assertTrue(samples.size() > 5, samples.toString());
        assertTrue(ImageIO.read(results.resolve("chart.png").toFile()).getHeight() > 100);
        assertTrue(Files.readString(results.resolve("chart.svg")).contains("<svg"));
    }
}
