package dev.sluice.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Why nothing is delivered now, if so; the same problem is logged once a minute, however often it is met. */
final class ProblemLog {

    private static final Logger LOG = System.getLogger(ProblemLog.class.getName());
    private static final Duration REPEAT = Duration.ofMinutes(1);

    private volatile String current = "starting";
    private String logged;
    private long loggedAt;

    /** The problem, for a person; null if there is none. */
    String current() {
        return current;
    }

    void report(String problem) {
        current = problem;
        long now = System.nanoTime();
        if (!problem.equals(logged) || now - loggedAt > REPEAT.toNanos()) {
            logged = problem;
            loggedAt = now;
            LOG.log(Level.WARNING, "Sluice delivers nothing and tries again: {0}", problem);
        }
    }

    void solved() {
        current = null;
        logged = null;
    }
}
