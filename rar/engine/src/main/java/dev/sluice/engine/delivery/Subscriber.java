package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.util.Set;

/** What takes the jobs of one queue on this node. */
public interface Subscriber {

    /** The queue it takes jobs of. */
    String queue();

    /** The retry policy it wants for its queue. */
    RetryPolicy retryPolicy();

    /** The kinds it can handle; others are put back for nodes that can. */
    Set<String> kinds();

    /** The most jobs of one claim. */
    int batch();

    /** The most jobs that it runs at once. */
    int concurrency();

    /**
     * Takes a job, to run it on another thread.
     *
     * @throws RuntimeException if it cannot; the job is then put back
     */
    void accept(Delivery delivery);

    /** Whether this job's kind is among those it handles. */
    default boolean handles(Job job) {
        return kinds().contains(job.kind());
    }
}
