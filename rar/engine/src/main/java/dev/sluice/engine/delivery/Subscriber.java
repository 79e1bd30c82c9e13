package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.RetryPolicy;
import java.util.Set;

/** What takes the jobs of one queue on this node. */
public interface Subscriber {

    /** The queue it takes jobs of. */
    String queue();

    /** The retry policy it wants for its queue. */
    RetryPolicy retryPolicy();

    /** In which transaction its jobs are claimed. */
    ClaimMode mode();

    /** The kinds it can handle; others are put back for nodes that can. Empty: every kind. */
    Set<String> kinds();

    /** Those of its kinds of which one call handles several jobs, in one transaction. */
    Set<String> batchKinds();

    /** The most jobs of one claim, and of one call. */
    int batch();

    /** The most calls that it runs at once. */
    int concurrency();

    /**
     * Takes a delivery, to run it on another thread.
     *
     * @throws RuntimeException if it cannot; its jobs are then put back
     */
    void accept(Delivery delivery);
}
