package dev.sluice.bench.site;

/** Lets an interrupted thread stop things in order, which takes its time; afterwards the thread is interrupted again. */
final class Patience {

    private final boolean interrupted = Thread.interrupted();

    private Patience() {}

    static Patience begin() {
        return new Patience();
    }

    void end() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
