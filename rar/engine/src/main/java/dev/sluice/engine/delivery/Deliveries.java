package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;

/** Hears of deliveries. */
interface Deliveries {

    /** A delivery was about to run this job, of which it handles no kind. */
    void unhandled(Job job);

    /** A delivery has its jobs, and a handler is about to be called. */
    void begun(Delivery delivery);

    /** The handler's call is over, whatever became of the jobs meanwhile. */
    void over(Delivery delivery);

    /**
     * A delivery has ended.
     *
     * @param certain      whether it is known, and noted, what became of its jobs
     * @param acknowledged whether they are gone
     */
    void done(Delivery delivery, boolean certain, boolean acknowledged);
}
