package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run of the bench's jar from some folder.
 *
 * @param result   its last line on standard output
 * @param progress what it said on standard error
 * @param samples  the lines of samples.csv
 */
record JarRun(JsonNode result, String progress, List<String> samples) {

    private static final long LIMIT_MINUTES = 5;

    /** Runs it to its end, which must be a good one with a chart. */
    static JarRun of(Path folder, String... arguments) throws IOException, InterruptedException {
        Path results = folder.resolve("results");
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                System.getProperty("bench.jar")));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--out", results.toString()));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertTrue(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES));
        String progress = Files.readString(err);
        assertEquals(0, process.exitValue(), progress);
        assertTrue(ImageIO.read(results.resolve("chart.png").toFile()).getHeight() > 100);
        assertTrue(Files.readString(results.resolve("chart.svg")).contains("<svg"));
        List<String> lines = Files.readAllLines(out);
        return new JarRun(
                JsonMapper.shared().readTree(lines.get(lines.size() - 1)),
                progress,
                Files.readAllLines(results.resolve("samples.csv")));
    }

    /** The number of a key; it must be there. */
    double number(String key) {
        assertTrue(result.path(key).isNumber(), key + ": " + result);
        return result.path(key).asDouble();
    }
}
