package dev.sluice.it.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code failing}: writes to two databases in one transaction, and fails each time. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "failing"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "200")
        })
public class FailingJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource here;

    @Resource(lookup = "jdbc/other")
    private DataSource there;

    @OnJob("enter")
    public void enter(JobContext job) throws SQLException {
        Ledger.enter(here, job.id(), job.attempt());
        Ledger.enter(there, job.id(), job.attempt());
        throw new IllegalStateException("fails at attempt " + job.attempt());
    }
}
