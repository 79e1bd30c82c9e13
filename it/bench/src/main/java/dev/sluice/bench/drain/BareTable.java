package dev.sluice.bench.drain;

import java.sql.Connection;
import java.sql.SQLException;

/** A table of jobs outside schema sluice, and the SQL that empties it without the engine. */
interface BareTable {

    /** The queue of its jobs. */
    String QUEUE = "bare";

    /** Its name with its schema. */
    String name();

    /** The SQL that creates it, in the image of the engine's. */
    String create();

    /** The SQL that enqueues: its parameters are the queue and the payloads, as text[]. */
    String enqueue();

    /**
     * Prepares the claim.
     *
     * @param batch jobs of one claim at most
     */
    BareClaim claimOn(Connection connection, int batch) throws SQLException;
}
