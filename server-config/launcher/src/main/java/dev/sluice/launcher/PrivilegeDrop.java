package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A way to run a program without root's privileges.
 *
 * <p>PostgreSQL refuses to run as root, and containers differ in what they leave root able to do.
 */
enum PrivilegeDrop {
    /** For an ordinary user, who has nothing to drop. */
    NONE {
        @Override
        List<String> prefix() {
            return List.of();
        }

        @Override
        void handOver(Path path) {}
    },

    /** Becomes another user. */
    SETPRIV {
        @Override
        List<String> prefix() throws IOException {
            String user = ordinaryUser().getName();
            String group = Command.of("id", "-g", user).firstLine();
            return List.of("setpriv", "--reuid=" + user, "--regid=" + group, "--clear-groups", "--");
        }
    },

    /** Becomes another user through PAM; runuser stays as the parent of what it runs. */
    RUNUSER {
        @Override
        List<String> prefix() throws IOException {
            return List.of("runuser", "-u", ordinaryUser().getName(), "--");
        }
    },

    /** Stays root outside, but has no user id inside a user namespace of its own: the files stay root's. */
    UNSHARE {
        @Override
        List<String> prefix() {
            return List.of("unshare", "-U", "--");
        }

        @Override
        void handOver(Path path) {}
    };

    /**
     * Returns the first way that works here for a program.
     *
     * @throws IllegalStateException if this JVM runs as root and cannot run the program as anyone else
     */
    static PrivilegeDrop thatRuns(Path program) {
        if (!Command.runsAsRoot()) {
            return NONE;
        }
        return Stream.of(SETPRIV, RUNUSER, UNSHARE)
                .filter(way -> way.runs(program))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("PostgreSQL does not run as root, and none of setpriv, runuser "
                                + "and unshare can run " + program + " as anyone else: run this as an ordinary user"));
    }

    /** Whether this way leads to a process that is not root and may execute the program. */
    boolean runs(Path program) {
        try {
            List<String> probe =
                    List.of("sh", "-c", "test \"$(id -u)\" -ne 0 && test -x \"$1\"", "probe", program.toString());
            return new Command(wrap(probe)).succeeds();
        } catch (IOException impossible) {
            return false;
        }
    }

    /** Returns a command that runs the given command this way. */
    List<String> wrap(List<String> command) throws IOException {
        List<String> wrapped = new ArrayList<>(prefix());
        wrapped.addAll(command);
        return wrapped;
    }

    abstract List<String> prefix() throws IOException;

    /** Gives a file or an empty directory to the user whom this way runs programs as. */
    void handOver(Path path) {
        try {
            Files.setOwner(path, ordinaryUser());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static UserPrincipal ordinaryUser() throws IOException {
        var users = FileSystems.getDefault().getUserPrincipalLookupService();
        try {
            return users.lookupPrincipalByName("postgres");
        } catch (IOException none) {
            return users.lookupPrincipalByName("nobody");
        }
    }
}
