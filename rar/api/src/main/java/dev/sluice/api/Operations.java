package dev.sluice.api;

/**
 * What the adapter does for code that runs beside the queue: reports, an admin page. Looked up as
 * {@code sluice/operations}.
 */
public interface Operations {

    /** The cluster-wide admission of analytics. */
    Admission admission();

    /** How the queue's part in this server is doing. */
    NodeStatus status();
}
