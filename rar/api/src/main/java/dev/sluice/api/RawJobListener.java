package dev.sluice.api;

/**
 * The listener interface of a message-driven bean that takes every kind of job of its queue, but those that a
 * {@link JobListener} bean of the same server handles in it.
 *
 * <p>The call runs in the bean's container transaction: when that commits the job is gone, when it rolls back the attempt
 * is counted and the job runs again after a delay.
 */
public interface RawJobListener {

    /**
     * Handles a job.
     *
     * @throws Exception whatever it throws rolls the transaction back
     */
    void onJob(Job job) throws Exception;
}
