package dev.sluice.engine.recovery;

/**
 * How many transactions are in doubt. Those of running two-phase commits, younger than {@link InDoubtWatch#GRACE}, are
 * not.
 *
 * @param count         how many; -1 if that cannot be seen
 * @param oldestSeconds since when the oldest is prepared, in seconds; 0 if there is none, -1 if that cannot be seen
 */
public record InDoubt(int count, long oldestSeconds) {

    /** Never taken for none. */
    public static final InDoubt UNKNOWN = new InDoubt(-1, -1);
}
