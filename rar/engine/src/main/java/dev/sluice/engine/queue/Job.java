package dev.sluice.engine.queue;

import java.time.Instant;

/**
 * A claimed job.
 *
 * @param epoch      in which table it was when it was claimed
 * @param queue      its queue
 * @param priority   0 (urgent) to 3 (low)
 * @param pos        where its row is, with queue and priority
 * @param id         its identity
 * @param kind       its kind
 * @param payload    JSON text
 * @param attempt    failed attempts so far
 * @param alone      whether it was claimed by itself: it, or a job that ran with it, may have killed its node or hung
 * @param enqueuedAt when it was enqueued
 * @param lease      the claim that it belongs to; null if the transaction that handles it has claimed it
 */
public record Job(
        int epoch,
        String queue,
        short priority,
        long pos,
        long id,
        String kind,
        String payload,
        int attempt,
        boolean alone,
        Instant enqueuedAt,
        Long lease) {

    /** The payload may be secret, so it is left out. */
    @Override
    public String toString() {
        return "job " + id + " of kind " + kind + " in queue " + queue + ", attempt " + (attempt + 1);
    }
}
