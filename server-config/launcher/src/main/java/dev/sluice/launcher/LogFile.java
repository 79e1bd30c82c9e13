package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** A log that a server writes and we read; it need not exist yet. */
record LogFile(Path path) {

    private static final int TAIL_LINES = 40;

    /** Returns the size in bytes, the position of what is written next. */
    long size() {
        try {
            return Files.size(path);
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text() {
        return new String(bytesFrom(0), StandardCharsets.UTF_8);
    }

    /** Returns the last lines, for the message of an exception. */
    String tail() {
        List<String> lines = text().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }

    /** Returns a reader of the lines from a position on. */
    Lines linesFrom(long position) {
        return new Lines(position);
    }

    /** Gives the log of an earlier run, if there is one, a number. */
    void setAside() {
        if (!Files.exists(path)) {
            return;
        }
        try {
            int run = 1;
            while (Files.exists(numbered(run))) {
                run++;
            }
            Files.move(path, numbered(run));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path numbered(int run) {
        return path.resolveSibling(path.getFileName().toString().replaceFirst("\\.log$", "." + run + ".log"));
    }

    private byte[] bytesFrom(long position) {
        try (var channel = Files.newByteChannel(path)) {
            return Channels.newInputStream(channel.position(position)).readAllBytes();
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads whole lines, and more of them as the log grows. */
    final class Lines {

        private final Queue<String> read = new ArrayDeque<>();
        private long position;

        private Lines(long position) {
            this.position = position;
        }

        /** Returns the next line, or null if it has not been written yet. */
        String next() {
            if (read.isEmpty()) {
                readMore();
            }
            return read.poll();
        }

        private void readMore() {
            if (size() < position) {
                // A new run has begun a new log.
                position = 0;
            }
            byte[] bytes = bytesFrom(position);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            position += end;
            new String(bytes, 0, end, StandardCharsets.UTF_8).lines().forEach(read::add);
        }
    }
}
