package dev.sluice.api;

import java.util.List;

/**
 * Puts jobs into queues, in the caller's transaction: with a JTA transaction the jobs exist when it commits and never
 * if it rolls back; without one each call is a transaction of its own. Looked up as {@code sluice/jobs}.
 *
 * <p>A program outside the server does the same with the SQL function {@code sluice.enqueue} in its own transaction.
 */
public interface JobQueue {

    /**
     * Enqueues one job.
     *
     * @return the identity of the job
     * @throws JobRefusedException if the queue does not exist, the payload cannot be written as JSON or is over the
     *     queue's cap; the transaction can then only roll back
     */
    long enqueue(NewJob job);

    /**
     * Enqueues several jobs of any queues and kinds, in their order.
     *
     * @return the identities of the jobs, in the same order
     * @throws JobRefusedException as for one job; then none of them is enqueued
     */
    List<Long> enqueue(List<NewJob> jobs);

    /** Enqueues one job of normal priority that may run at once. */
    default long enqueue(String queue, String kind, Object payload) {
        return enqueue(NewJob.of(queue, kind, payload));
    }
}
