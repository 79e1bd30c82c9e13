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

/** Queue {@code untimed}: transactions of the server's default length, on the threads that timed ones run on as well. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "untimed"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
public class UntimedJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    /** Works for longer than a timed transaction may. */
    @OnJob("work")
    public void work(JobContext job) throws SQLException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(3_000);
        Notes.write(dataSource, job.id(), job.attempt(), ownLoader() ? "own loader" : "another loader");
    }

    /** Whether the thread loads what this application has; a container may have a loader of its own before the application's. */
    private static boolean ownLoader() {
        try {
            return Thread.currentThread().getContextClassLoader().loadClass(UntimedJobs.class.getName())
                    == UntimedJobs.class;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
