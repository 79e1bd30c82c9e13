package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code loose}: without a container transaction, so at least once. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "loose"),
            // the other mode needs a container transaction, whatever the server's default is
            @ActivationConfigProperty(propertyName = "mode", propertyValue = "leased"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class LooseJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @OnJob("notes")
    public void notes(JobContext job) throws SQLException {
        Notes.write(dataSource, job.id(), job.attempt(), "notes");
    }

    @OnJob("fails")
    public void fails(JobContext job) throws SQLException {
        Notes.write(dataSource, job.id(), job.attempt(), "fails");
        throw new IllegalStateException("without a transaction at attempt " + job.attempt());
    }
}
