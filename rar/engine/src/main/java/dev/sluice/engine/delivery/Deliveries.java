package dev.sluice.engine.delivery;

/** Where the deliveries to a subscriber report their end. */
interface Deliveries {

    /**
     * A delivery has ended.
     *
     * @param certain      whether it is known what became of the job
     * @param acknowledged whether the job is gone for good
     */
    void done(Delivery delivery, boolean certain, boolean acknowledged);
}
