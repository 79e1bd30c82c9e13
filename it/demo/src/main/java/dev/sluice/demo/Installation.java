package dev.sluice.demo;

import java.net.URISyntaxException;
import java.nio.file.Path;

/**
 * Where the build has put what the demo runs.
 *
 * @param liberty      home of Open Liberty, from {@code sluice.demo.liberty}
 * @param application  the sample's EAR, from {@code sluice.demo.application}
 * @param serverConfig folder of the configuration that the project ships, from {@code sluice.demo.server-config}
 * @param logs         folder for the server's log, from {@code sluice.demo.logs}
 * @param driver       the JDBC driver's jar, the one that this program uses itself
 */
record Installation(Path liberty, Path application, Path serverConfig, Path logs, Path driver) {

    /** @throws IllegalStateException if the demo was not started by its build */
    static Installation ofTheBuild() {
        return new Installation(
                path("sluice.demo.liberty"),
                path("sluice.demo.application"),
                path("sluice.demo.server-config"),
                path("sluice.demo.logs"),
                ownDriver());
    }

    private static Path path(String property) {
        String value = System.getProperty(property);
        if (value == null) {
            throw new IllegalStateException(
                    "System property " + property + " is not set. Start the demo with: mvn -Pdemo verify");
        }
        return Path.of(value);
    }

    private static Path ownDriver() {
        try {
            return Path.of(org.postgresql.Driver.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
