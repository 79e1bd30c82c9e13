package dev.sluice.bench.engine;

import java.util.logging.Level;
import java.util.logging.Logger;

/** What the engine logs in this JVM, on standard error. */
public final class EngineLog {

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger LOGGER = Logger.getLogger("dev.sluice.engine");

    private EngineLog() {}

    /** Leaves starts and stops out, where a run has many. */
    public static void keepToWarnings() {
        LOGGER.setLevel(Level.WARNING);
    }
}
