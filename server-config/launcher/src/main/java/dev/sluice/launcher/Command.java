package dev.sluice.launcher;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A short command of the operating system. */
record Command(List<String> words) {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    static Command of(String... words) {
        return new Command(List.of(words));
    }

    /** Whether this JVM runs as root, who is refused by PostgreSQL. */
    static boolean runsAsRoot() {
        return of("sh", "-c", "test \"$(id -u)\" -eq 0").succeeds();
    }

    /**
     * Sends a signal.
     *
     * @param signal its name without SIG, such as {@code STOP}
     * @return false if there is no such process, or it is not ours
     */
    static boolean signal(String signal, long pid) {
        // The shell's own kill: the program of that name is missing in slim containers.
        return of("sh", "-c", "kill -s \"$1\" \"$2\"", "kill", signal, Long.toString(pid))
                .succeeds();
    }

    /** Returns the same command in a session of its own, out of reach of the terminal's signals, where that can be had. */
    Command detached() {
        if (!Detachment.POSSIBLE) {
            return this;
        }
        List<String> detached = new ArrayList<>(List.of("setsid"));
        detached.addAll(words);
        return new Command(detached);
    }

    /** Runs the command to its end and returns whether it exists and ended well. */
    boolean succeeds() {
        return succeeds(Map.of(), LIMIT);
    }

    /** Runs the command to its end, with more variables in its environment, and returns whether it ended well in time. */
    boolean succeeds(Map<String, String> environment, Duration limit) {
        try {
            ProcessBuilder builder = builder().redirectOutput(Redirect.DISCARD);
            builder.environment().putAll(environment);
            return endsWell(builder.start(), limit);
        } catch (IOException missing) {
            return false;
        }
    }

    /**
     * Runs the command to its end and returns the first line of its output.
     *
     * @throws IOException if the command is missing, fails or says nothing
     */
    String firstLine() throws IOException {
        Process process = builder().start();
        try (var output = process.inputReader()) {
            String line = output.readLine();
            if (line == null || !endsWell(process, LIMIT)) {
                throw new IOException(words + " failed");
            }
            return line;
        }
    }

    private ProcessBuilder builder() {
        return new ProcessBuilder(words).redirectError(Redirect.DISCARD);
    }

    private static boolean endsWell(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            process.destroyForcibly();
        }
    }

    private static final class Detachment {
        static final boolean POSSIBLE = Command.of("setsid", "true").succeeds();
    }
}
