package dev.sluice.bench.option;

/** How a node claims jobs: the values of {@code --mode}, which are those of the adapter's activation property. */
public enum ClaimMode {
    LEASED(16),
    TRANSACTIONAL(8);

    private final int workers;

    ClaimMode(int workers) {
        this.workers = workers;
    }

    /** Workers if {@code --workers} does not say. */
    public int defaultWorkers() {
        return workers;
    }

    /** As it is written on the command line and in server.xml. */
    @Override
    public String toString() {
        return Words.of(this);
    }
}
