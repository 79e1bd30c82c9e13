package dev.sluice.bench.queue;

import dev.sluice.bench.load.PlannedJob;
import java.sql.Connection;
import java.sql.SQLException;

/** A queue that is measured. */
public interface TestedQueue {

    /** The schema that holds its tables and nothing else. */
    String schema();

    /** Creates its tables, if no node of it does. */
    void create(Connection connection) throws SQLException;

    /** Puts a job into it, in the caller's transaction. */
    void enqueue(Connection connection, PlannedJob job, String kind, String payload) throws SQLException;

    /** A regex of PostgreSQL that finds its claims, and no other statements, by text without comments. */
    String claims();

    /**
     * Starts handling jobs in this JVM: each transaction writes an entry into the ledger for each of its jobs, and then takes
     * as long as the plan says.
     */
    QueueNode start(NodePlan plan) throws SQLException, InterruptedException;
}
