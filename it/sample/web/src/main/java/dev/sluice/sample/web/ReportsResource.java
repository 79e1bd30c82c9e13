package dev.sluice.sample.web;

import jakarta.batch.operations.NoSuchJobExecutionException;
import jakarta.batch.runtime.BatchRuntime;
import jakarta.batch.runtime.BatchStatus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** Runs the report over the ledger. It waits for its permit in the batch runtime, not here. */
@Path("reports")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class ReportsResource {

    /**
     * A run of the report.
     *
     * @param id     of the execution
     * @param status as Jakarta Batch names it: STARTING, STARTED, COMPLETED, FAILED, ...
     */
    public record ReportRun(long id, String status) {}

    /** Starts the report and does not wait for it. */
    @POST
    public ReportRun start() {
        return get(BatchRuntime.getJobOperator().start("ledger-report", null));
    }

    /** How a run of the report is doing. */
    @GET
    @Path("{id}")
    public ReportRun get(@PathParam("id") long id) {
        try {
            BatchStatus status =
                    BatchRuntime.getJobOperator().getJobExecution(id).getBatchStatus();
            return new ReportRun(id, status.name());
        } catch (RuntimeException e) {
            // Open Liberty wraps it where the repository is a database
            if (e instanceof NoSuchJobExecutionException || e.getCause() instanceof NoSuchJobExecutionException) {
                throw new NotFoundException("There is no report run " + id, e);
            }
            throw e;
        }
    }
}
