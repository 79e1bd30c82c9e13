package dev.sluice.engine.queue;

import java.util.Locale;

/**
 * A table of a family that is used in turn, as a sweep saw it.
 *
 * @param family  which family
 * @param epoch   its number
 * @param current whether it takes what is new
 * @param bytes   its size with that of the table beside it, without indexes and TOAST; 0 if it is as good as new
 * @param live    rows, by PostgreSQL's statistics
 * @param dead    row versions that nobody needs, by the same
 * @param changes updates and deletes since the statistics began
 */
public record EpochState(Family family, int epoch, boolean current, long bytes, long live, long dead, long changes) {

    /** Tables that are used in turn. */
    public enum Family {
        /** job_n, with claim_n beside it. */
        JOB,
        /** scheduled_n. */
        SCHEDULED;

        /** How SQL names it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The name of the table. */
    public String table() {
        return family.label() + "_" + epoch;
    }
}
