package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Open Liberty as it was unpacked, and the commands it understands. */
record LibertyHome(Path path) {

    private static final Duration SCRIPT_LIMIT = Duration.ofSeconds(60);

    /** Returns the command that runs a server in a JVM like ours. */
    List<String> run(String server, List<String> jvmOptions) {
        List<String> command = new ArrayList<>(List.of(
                javaHome().resolve("bin/java").toString(),
                "-javaagent:" + path.resolve("bin/tools/ws-javaagent.jar"),
                "-Djava.awt.headless=true",
                "-Djdk.attach.allowAttachSelf=true"));
        command.addAll(moduleOptions());
        command.addAll(jvmOptions);
        command.addAll(List.of("-jar", jar().toString(), server));
        return command;
    }

    /** Has {@code bin/server} do something with a server that runs, and returns whether it did so in time. */
    boolean script(String action, String server, Map<String, String> environment, String... options) {
        List<String> words = new ArrayList<>(List.of(path.resolve("bin/server").toString(), action, server));
        words.addAll(List.of(options));
        return new Command(words).succeeds(environment, SCRIPT_LIMIT);
    }

    static Path javaHome() {
        return Path.of(System.getProperty("java.home"));
    }

    private Path jar() {
        return path.resolve("bin/tools/ws-server.jar");
    }

    private List<String> moduleOptions() {
        String file = Runtime.version().feature() >= 24 ? "java24.options" : "java9.options";
        try {
            return Files.readAllLines(path.resolve("lib/platform/java").resolve(file)).stream()
                    .map(String::trim)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
