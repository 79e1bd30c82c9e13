package dev.sluice.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A log file")
class LogFileTest {

    @TempDir
    private Path directory;

    @Test
    @DisplayName("is read line by line as it is written")
    void grows() throws IOException {
        LogFile log = new LogFile(directory.resolve("log"));
        LogFile.Lines lines = log.linesFrom(0);
        assertNull(lines.next());

        Files.writeString(log.path(), "one\ntwo\nthr");
        assertEquals("one", lines.next());
        assertEquals("two", lines.next());
        assertNull(lines.next());

        Files.writeString(log.path(), "ee\n", StandardOpenOption.APPEND);
        assertEquals("three", lines.next());
        assertNull(lines.next());
    }

    @Test
    @DisplayName("is read from a mark on, and from its beginning once a new run has begun it anew")
    void marks() throws IOException {
        LogFile log = new LogFile(directory.resolve("log"));
        assertEquals(0, log.size());
        Files.writeString(log.path(), "a line of the last run\n");
        LogFile.Lines lines = log.linesFrom(log.size());
        assertNull(lines.next());

        Files.writeString(log.path(), "anew\n");
        assertEquals("anew", lines.next());
    }

    @Test
    @DisplayName("has a tail of 40 lines, or of nothing")
    void tail() throws IOException {
        LogFile log = new LogFile(directory.resolve("log"));
        assertEquals("", log.tail());
        Files.writeString(
                log.path(),
                IntStream.rangeClosed(1, 100).mapToObj(i -> i + "\n").collect(Collectors.joining()));
        assertTrue(log.tail().startsWith("61\n"));
        assertTrue(log.tail().endsWith("\n100"));
    }
}
