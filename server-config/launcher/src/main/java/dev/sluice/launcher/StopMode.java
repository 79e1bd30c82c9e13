package dev.sluice.launcher;

/**
 * How PostgreSQL is stopped.
 *
 * @see <a href="https://www.postgresql.org/docs/18/server-shutdown.html">Shutting Down the Server</a>
 */
public enum StopMode {
    /** Waits for the clients to leave. */
    SMART("TERM"),

    /** Rolls back and disconnects the clients, then writes a checkpoint. */
    FAST("INT"),

    /** Stops without a checkpoint, as in a crash: the next start recovers from the write-ahead log. */
    IMMEDIATE("QUIT");

    private final String signal;

    StopMode(String signal) {
        this.signal = signal;
    }

    String signal() {
        return signal;
    }
}
