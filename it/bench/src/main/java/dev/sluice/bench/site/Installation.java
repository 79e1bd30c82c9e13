package dev.sluice.bench.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/** What the build has put into the bench's jar, and where it has put the rest. */
public final class Installation {

    private static final Properties BUILD = properties("build.properties");

    private Installation() {}

    /** The version of Sluice. */
    public static String version() {
        return BUILD.getProperty("version");
    }

    /** The folder that the jar was built in; it may be gone. */
    public static Path buildFolder() {
        return Path.of(BUILD.getProperty("target"));
    }

    /**
     * The home of Open Liberty.
     *
     * @param asked another than that of the build; null for that
     * @throws SiteException if there is none
     */
    public static Path liberty(Path asked) throws SiteException {
        Path home = asked != null ? asked : Path.of(BUILD.getProperty("liberty"));
        if (!Files.isRegularFile(home.resolve("bin/tools/ws-server.jar"))) {
            throw new SiteException(
                    "There is no Open Liberty in " + home.toAbsolutePath()
                            + ". Build the bench again (mvn package, in the root of Sluice), or say where one is: --liberty DIR");
        }
        return home;
    }

    /** The text of a resource. */
    static String text(String name) {
        try (InputStream resource = open(name)) {
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies a resource to a file. */
    static void copy(String name, Path file) throws IOException {
        try (InputStream resource = open(name)) {
            Files.copy(resource, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static InputStream open(String name) {
        InputStream resource = Installation.class.getResourceAsStream(name);
        if (resource == null) {
            throw new IllegalStateException("The bench has no " + name + ": start the jar that mvn package builds");
        }
        return resource;
    }

    private static Properties properties(String name) {
        Properties properties = new Properties();
        try (InputStream resource = open(name)) {
            properties.load(resource);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
