package dev.sluice.bench.option;

/** What handles the jobs: the values of {@code --through}. */
public enum Through {
    /** Our engine, without a container. */
    ENGINE,

    /** Message-driven beans on Open Liberty. */
    SERVER;

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return Words.of(this);
    }
}
