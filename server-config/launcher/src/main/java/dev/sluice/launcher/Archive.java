package dev.sluice.launcher;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** An archive that is unpacked with its permissions and symbolic links. */
@FunctionalInterface
interface Archive {

    void unpackInto(Path directory) throws IOException;

    /**
     * Unpacks into a directory unless it holds something already.
     *
     * <p>The work is done aside and renamed in one step, so whoever sees the directory sees all of it, and of two JVMs that
     * unpack at once one wins and the other takes the winner's.
     */
    default void unpackOnceTo(Path directory) throws IOException {
        if (holdsSomething(directory)) {
            return;
        }
        Files.createDirectories(directory.getParent());
        Path aside = Files.createTempDirectory(directory.getParent(), "." + directory.getFileName() + "-");
        try {
            // A temporary directory is ours alone, but PostgreSQL may have to run as someone else.
            Files.setPosixFilePermissions(aside, permissions(0755));
            unpackInto(aside);
            Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Command.of("rm", "-rf", "--", aside.toString()).succeeds();
            if (!holdsSomething(directory)) {
                throw e;
            }
        }
    }

    static Archive tarXz(InputStream compressed) {
        return directory -> {
            try (var tar =
                    new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(compressed)))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    Path path = inside(directory, entry.getName());
                    if (entry.isSymbolicLink()) {
                        link(path, entry.getLinkName());
                    } else if (entry.isDirectory()) {
                        Files.createDirectories(path);
                    } else {
                        write(path, tar, entry.getMode());
                    }
                }
            }
        };
    }

    private static boolean holdsSomething(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> content = Files.list(directory)) {
            return content.findAny().isPresent();
        }
    }

    private static Path inside(Path directory, String name) throws IOException {
        Path path = directory.resolve(name).normalize();
        if (!path.startsWith(directory)) {
            throw new IOException("the archive's entry " + name + " leads out of it");
        }
        return path;
    }

    private static void link(Path path, String target) throws IOException {
        Files.createDirectories(path.getParent());
        Files.createSymbolicLink(path, Path.of(target));
    }

    private static void write(Path path, InputStream content, int mode) throws IOException {
        Files.createDirectories(path.getParent());
        Files.copy(content, path);
        // An archive made on a system without modes has 0.
        if (mode != 0) {
            Files.setPosixFilePermissions(path, permissions(mode));
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] fromHighestBit = PosixFilePermission.values();
        for (int i = 0; i < fromHighestBit.length; i++) {
            if ((mode >> (fromHighestBit.length - 1 - i) & 1) == 1) {
                permissions.add(fromHighestBit[i]);
            }
        }
        return permissions;
    }
}
