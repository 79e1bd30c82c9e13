package dev.sluice.ejb;

import jakarta.batch.operations.JobOperator;
import jakarta.batch.runtime.BatchRuntime;
import jakarta.batch.runtime.BatchStatus;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.Properties;

/**
 * Starts and stops report runs, never in the caller's transaction: a run begins at once on another thread, and would not
 * see that it exists if its row waited for the caller's commit.
 */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ReportRuns {

    /**
     * Starts a report.
     *
     * @param report     the name of its job XML, without the ending
     * @param parameters the job's parameters
     * @return the execution's number
     */
    public long start(String report, Properties parameters) {
        return operator().start(report, parameters);
    }

    /** How far an execution is. */
    public BatchStatus status(long execution) {
        return operator().getJobExecution(execution).getBatchStatus();
    }

    /** Stops an execution: one that waits for a permit at once, one that queries by cancelling its statement. */
    public void stop(long execution) {
        operator().stop(execution);
    }

    private static JobOperator operator() {
        return BatchRuntime.getJobOperator();
    }
}
