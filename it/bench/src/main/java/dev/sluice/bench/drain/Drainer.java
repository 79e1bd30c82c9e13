package dev.sluice.bench.drain;

import java.sql.SQLException;

/** One way to empty a backlog. */
interface Drainer {

    /** Enqueues jobs, all in one transaction. Nobody works on them yet. */
    void enqueue(int jobs) throws SQLException;

    /** Sets workers to work, with connections of their own. */
    Crew start() throws SQLException, InterruptedException;

    /** The jobs that are still there, whatever became of them, and what else a job leaves behind. */
    long left() throws SQLException;
}
