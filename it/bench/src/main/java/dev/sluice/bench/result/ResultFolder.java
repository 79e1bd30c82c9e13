package dev.sluice.bench.result;

import dev.sluice.bench.measure.Sample;
import dev.sluice.bench.site.Installation;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** The folder of one run. */
public final class ResultFolder {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    private final Path path;

    private ResultFolder(Path path) {
        this.path = path;
    }

    /**
     * Makes the folder.
     *
     * @param asked   null for a new one in the target folder of the build, or in the working directory if that is gone
     * @param command that runs
     */
    public static ResultFolder create(Path asked, String command) throws IOException {
        if (asked != null) {
            return new ResultFolder(Files.createDirectories(asked).toRealPath());
        }
        Path build = Installation.buildFolder();
        Path parent = Files.createDirectories((Files.isDirectory(build) ? build : Path.of("")).resolve("results"));
        String name = command + "-" + TIME.format(LocalDateTime.now());
        for (int number = 1; ; number++) {
            try {
                Path folder = parent.resolve(number == 1 ? name : name + "_" + number);
                return new ResultFolder(Files.createDirectory(folder).toRealPath());
            } catch (FileAlreadyExistsException e) {
                // of a run that began in the same second
            }
        }
    }

    public Path path() {
        return path;
    }

    /** Writes samples.csv, chart.svg and chart.png. */
    public void write(List<Sample> samples, Chart chart) throws IOException {
        Files.writeString(path.resolve("samples.csv"), SampleTable.csv(samples));
        chart.writeSvg(path.resolve("chart.svg"));
        chart.writePng(path.resolve("chart.png"));
    }
}
