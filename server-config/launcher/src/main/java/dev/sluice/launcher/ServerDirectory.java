package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Properties;

/** The directory of one server: its configuration, {@code apps} and {@code logs}. */
final class ServerDirectory {

    private final Path path;
    private final Path apps;
    private final Path logs;

    /** @param userDirectory the server's {@code WLP_USER_DIR} */
    ServerDirectory(Path userDirectory, String server) {
        path = userDirectory.resolve("servers").resolve(server);
        apps = path.resolve("apps");
        logs = path.resolve("logs");
    }

    Path path() {
        return path;
    }

    Path logs() {
        return logs;
    }

    /**
     * Writes what the server starts from.
     *
     * @param serverXml the text of {@code server.xml}; null to leave the one that is there
     * @param variables for {@code server.xml}, through {@code bootstrap.properties}
     * @param applications archives by their names in {@code apps}
     */
    void layOut(String serverXml, Map<String, String> variables, Map<String, Path> applications) throws IOException {
        Files.createDirectories(apps);
        Files.createDirectories(logs);
        if (serverXml != null) {
            Files.writeString(path.resolve("server.xml"), serverXml);
        }
        Properties bootstrap = new Properties();
        // A log that is never rolled while the server runs keeps our marks true.
        bootstrap.setProperty("com.ibm.ws.logging.max.file.size", "0");
        bootstrap.putAll(variables);
        try (var writer = Files.newBufferedWriter(path.resolve("bootstrap.properties"))) {
            bootstrap.store(writer, null);
        }
        for (var application : applications.entrySet()) {
            Files.copy(application.getValue(), apps.resolve(application.getKey()), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** What tells the server's scripts where it is, and with which Java it runs. */
    Map<String, String> environment() {
        Path servers = path.getParent();
        return Map.of(
                "JAVA_HOME", LibertyHome.javaHome().toString(),
                "WLP_USER_DIR", servers.getParent().toString(),
                "WLP_OUTPUT_DIR", servers.toString(),
                // The server reads the second name, which bin/server makes of the first.
                "LOG_DIR", logs.toString(),
                "X_LOG_DIR", logs.toString());
    }

    /** Puts an archive into {@code apps}, whole at once, in place of one that may be there. */
    void deploy(Path archive, String fileName) {
        try {
            Path copy = Files.createTempFile(path, "deploy", null);
            Files.copy(archive, copy, StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(copy, FileTime.from(Instant.now()));
            Files.move(copy, apps.resolve(fileName), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
