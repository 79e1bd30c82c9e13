package dev.sluice.it;

import dev.sluice.launcher.LibertyServer;
import java.nio.file.Path;
import java.time.Duration;

/** What an operator does to an application while its server runs. */
public final class ApplicationControl {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private ApplicationControl() {}

    /** Puts a new archive in place of an application's, and waits until Open Liberty has found it. */
    public static void replace(LibertyServer server, String application, Path archive, String fileName) {
        long mark = server.mark();
        server.deploy(archive, fileName);
        server.awaitMessage(mark, "CWWKZ000[13]I: .*pplication " + application + " ", LIMIT);
    }
}
