package dev.sluice.bench.measure;

import java.io.IOException;

/** Whoever is at work now, and what was done by those before: one workforce for the monitor. */
public final class Roster implements Workforce {

    private static final Workforce NOBODY = () -> new Progress(0, 0, 0, 0, 0, 0);

    private long before;
    private Workforce present = NOBODY;

    public synchronized void begin(Workforce workforce) {
        present = workforce;
    }

    /**
     * Those who are at work end.
     *
     * @param done what they did
     */
    public synchronized void end(long done) {
        before += done;
        present = NOBODY;
    }

    @Override
    public synchronized Progress progress() throws IOException, InterruptedException {
        Progress now = present.progress();
        return new Progress(
                before + now.delivered(),
                now.failed(),
                now.claims(),
                now.claimP50Millis(),
                now.claimP99Millis(),
                now.claimMaxMillis());
    }
}
