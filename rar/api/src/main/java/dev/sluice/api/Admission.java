package dev.sluice.api;

import java.time.Duration;

/**
 * A cluster-wide semaphore for traffic that holds the MVCC horizon back. What is limited is a row of the table
 * {@code sluice.budget}. Whoever waits holds neither a transaction nor a snapshot; the first to ask is the first to be
 * granted.
 */
public interface Admission {

    /**
     * Waits for a permit.
     *
     * @param budget   the name of a budget
     * @param holder   who asks, for a person who reads the list of permits
     * @param deadline how long to wait at most
     * @throws AdmissionException if the budget does not exist, or nothing was granted before the deadline
     * @throws InterruptedException if the wait was interrupted; nothing is then held
     */
    Permit acquire(String budget, String holder, Duration deadline) throws InterruptedException;
}
