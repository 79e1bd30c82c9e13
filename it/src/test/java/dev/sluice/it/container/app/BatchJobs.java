package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import dev.sluice.it.app.Entry;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Queue {@code batch}: several jobs in one call. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "batch"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class BatchJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    /** Notes with each job how many came together. */
    @OnJob("digest")
    public void digest(List<Entry> entries, List<JobContext> jobs) throws SQLException {
        for (int i = 0; i < jobs.size(); i++) {
            if (entries.get(i).text().equals("poison")) {
                throw new IllegalStateException("number " + entries.get(i).number() + " is poison");
            }
            Notes.write(dataSource, jobs.get(i).id(), jobs.get(i).attempt(), jobs.size() + " together");
        }
    }
}
