package dev.sluice.it.container.app;

import dev.sluice.api.Job;
import dev.sluice.api.RawJobListener;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code raw}: any kind of job, its payload as it is. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "raw"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class RawJobs implements RawJobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Override
    public void onJob(Job job) throws Exception {
        note(job);
        if (job.payload().equals("\"fail\"")) {
            throw new Exception("a checked exception at attempt " + job.attempt());
        }
    }

    private void note(Job job) throws SQLException {
        Notes.write(dataSource, job.id(), job.attempt(), job.kind() + " " + job.payload());
    }
}
