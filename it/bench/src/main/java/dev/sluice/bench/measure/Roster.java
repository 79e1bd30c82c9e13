package dev.sluice.bench.measure;

import java.io.IOException;

/** Whoever is at work now, and what was done by those before: one workforce for the monitor. */
public final class Roster implements Workforce {

    private long before;
    private Workforce present;

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
        present = null;
    }

    @Override
    public synchronized Progress progress() throws IOException, InterruptedException {
        if (present == null) {
            return new Progress(before, 0, 0);
        }
        Progress now = present.progress();
        return new Progress(before + now.delivered(), now.claimP50Millis(), now.claimP99Millis());
    }
}
