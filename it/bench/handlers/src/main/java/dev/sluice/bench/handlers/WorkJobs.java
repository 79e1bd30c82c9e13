package dev.sluice.bench.handlers;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Queue {@code work}: writes through {@code sluice/ds}, and then takes as long as the environment variable {@code
 * BENCH_WORK_MILLIS} says, once for each transaction. A job that is to fail does so the first time.
 */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "work"))
public class WorkJobs implements JobListener {

    private static final long WORK_MILLIS = Long.parseLong(System.getenv("BENCH_WORK_MILLIS"));

    @Resource(lookup = "sluice/ds")
    private DataSource database;

    @OnJob("enter")
    public void enter(NumberedJob job, JobContext context) throws SQLException, InterruptedException {
        enterAll(List.of(job), List.of(context));
    }

    @OnJob("enter-list")
    public void enterAll(List<NumberedJob> jobs, List<JobContext> contexts) throws SQLException, InterruptedException {
        for (NumberedJob job : jobs) {
            Ledger.enter(database, "work", job);
        }
        for (int index = 0; index < jobs.size(); index++) {
            if (jobs.get(index).fails() && contexts.get(index).attempt() == 1) {
                throw new IllegalStateException("a job of the mix that is to fail");
            }
        }
        TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
    }
}
