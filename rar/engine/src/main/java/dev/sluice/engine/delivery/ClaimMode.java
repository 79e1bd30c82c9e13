package dev.sluice.engine.delivery;

/** In which transaction jobs are claimed. */
public enum ClaimMode {
    /**
     * In one of their own: it sets a lease on a batch and commits, one flush for all. Then each job runs in a transaction of
     * its own, which is not open in the database before the handler's first statement.
     */
    LEASED,
    /**
     * In the one that handles them: claim, work and acknowledgement are one commit. A connection is held for as long as the
     * handler runs, so it is for handlers of milliseconds.
     */
    TRANSACTIONAL
}
