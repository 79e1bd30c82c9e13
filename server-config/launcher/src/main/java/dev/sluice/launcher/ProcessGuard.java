package dev.sluice.launcher;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;

/**
 * Sees to it that a server's process and its scratch directories do not outlive this JVM.
 *
 * <p>When the JVM exits in order, a shutdown hook closes the servers that are still open, the last started first: an
 * application server leaves before its database does. When the JVM is killed no hook runs, but the pipe to the watchdog
 * breaks, a shell of its own session, which then ends the process and deletes the directories.
 */
final class ProcessGuard implements AutoCloseable {

    private static final System.Logger LOGGER = System.getLogger(ProcessGuard.class.getName());
    private static final long LIMIT_SECONDS = 60;
    private static final Deque<ProcessGuard> OPEN = new ConcurrentLinkedDeque<>();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(ProcessGuard::closeServers, "sluice-launcher-shutdown"));
    }

    private final Runnable server;
    private final Process watchdog;
    private final OutputStream pipe;

    private long watched;

    /**
     * Starts to guard.
     *
     * @param server closes the server, and this guard with it
     * @param signals what ends the process, in turn; KILL comes after them
     * @param scratch the directories to delete
     */
    ProcessGuard(Runnable server, List<String> signals, List<Path> scratch) {
        this.server = server;
        List<String> command = new ArrayList<>(List.of("sh", "-c", script(), "watchdog", String.join(" ", signals)));
        scratch.forEach(directory -> command.add(directory.toString()));
        try {
            watchdog = new ProcessBuilder(new Command(command).detached().words())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the watchdog", e);
        }
        pipe = watchdog.getOutputStream();
        OPEN.push(this);
    }

    /** Watches a process instead of the one before. */
    synchronized void watch(long pid) {
        if (pid != watched) {
            tell(Long.toString(pid));
            watched = pid;
        }
    }

    /** Forgets the process, which has ended: another may be given its id. */
    synchronized void release() {
        if (watched != 0) {
            tell("");
            watched = 0;
        }
    }

    /** Ends the process if it is still watched, deletes the directories and waits until that is done. */
    @Override
    public void close() {
        OPEN.remove(this);
        try {
            pipe.close();
            watchdog.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            // The watchdog does its work all the same.
            Thread.currentThread().interrupt();
        }
    }

    private void tell(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the server is closed, or its watchdog was killed", e);
        }
    }

    private static void closeServers() {
        for (ProcessGuard guard = OPEN.poll(); guard != null; guard = OPEN.poll()) {
            try {
                guard.server.run();
            } catch (RuntimeException e) {
                LOGGER.log(Level.WARNING, "a server was not closed in order; its watchdog ends it", e);
            }
        }
    }

    private static String script() {
        try (var script = ProcessGuard.class.getResourceAsStream("watchdog.sh")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
