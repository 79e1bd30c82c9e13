package dev.sluice.bench.node;

import dev.sluice.bench.measure.Workforce;
import java.io.IOException;

/** A node in a process of its own. */
public interface RunningNode extends AutoCloseable {

    /**
     * How far it is now.
     *
     * @throws IOException if it does not answer, as when it is dead
     */
    Workforce.Progress progress() throws IOException, InterruptedException;

    /** Whether its process is there. */
    boolean alive();

    /** Kills it as a crash would, with SIGKILL. */
    void kill();

    /** Stops it in order. */
    @Override
    void close() throws IOException;
}
