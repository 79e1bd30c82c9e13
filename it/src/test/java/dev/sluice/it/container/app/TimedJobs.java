package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Queue {@code timed}: transactions of two seconds, as ibm-ejb-jar-ext.xml says. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "timed"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class TimedJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    /** Works for as many milliseconds as the payload says, in each attempt. */
    @OnJob("work")
    public void work(int millis, JobContext job) throws SQLException, InterruptedException {
        Notes.write(dataSource, job.id(), job.attempt(), "work");
        TimeUnit.MILLISECONDS.sleep(millis);
    }

    /** Hangs in its first attempt, for half a minute. */
    @OnJob("hang")
    public void hang(JobContext job) throws SQLException, InterruptedException {
        Notes.write(dataSource, job.id(), job.attempt(), "hang");
        if (job.attempt() == 1) {
            TimeUnit.SECONDS.sleep(30);
        }
    }
}
