package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** How a delivery comes by its jobs in the transaction that handles them. */
interface Opening {

    /** Takes jobs in the connection's transaction; empty if there are none. */
    List<Job> take(Connection connection) throws SQLException;

    /** Takes this job again, of a batch whose transaction was rolled back. */
    Opening again(Job job);

    /** The delivery that runs in this place after one that had jobs. */
    Delivery following();

    /** Whether there is a handler for this job. */
    boolean handles(Job job);
}
