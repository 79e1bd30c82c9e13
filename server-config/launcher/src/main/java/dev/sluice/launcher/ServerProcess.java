package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A guarded process in a session of its own. */
final class ServerProcess {

    private final Process process;
    private final ProcessGuard guard;

    private ServerProcess(Process process, ProcessGuard guard) {
        this.process = process;
        this.guard = guard;
    }

    /**
     * Starts a process.
     *
     * @param environment added to this JVM's own
     * @param output the file its output is appended to
     */
    static ServerProcess start(
            List<String> command, Map<String, String> environment, Path directory, Path output, ProcessGuard guard) {
        ProcessBuilder builder = new ProcessBuilder(
                        new Command(command).detached().words())
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(output.toFile()));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            try {
                guard.watch(process.pid());
            } catch (RuntimeException unguarded) {
                process.destroyForcibly();
                throw unguarded;
            }
            return new ServerProcess(process, guard);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command.get(0), e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns how the process ended, which it must have. */
    int exitStatus() {
        return process.exitValue();
    }

    boolean isParentOf(long pid) {
        return process.children().anyMatch(child -> child.pid() == pid);
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Waits for the end and returns whether it came in time. */
    boolean awaitExit(Duration limit) {
        try {
            boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (ended) {
                guard.release();
            }
            return ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for process " + pid(), e);
        }
    }
}
