package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code own}: handlers that begin and end transactions themselves, so at least once. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "own"),
            // the other mode needs a container transaction, whatever the server's default is
            @ActivationConfigProperty(propertyName = "mode", propertyValue = "leased"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
@TransactionManagement(TransactionManagementType.BEAN)
public class OwnTransactionJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Resource
    private UserTransaction transaction;

    @OnJob("commits")
    public void commits(JobContext job) throws Exception {
        transaction.begin();
        Notes.write(dataSource, job.id(), job.attempt(), "commits");
        transaction.commit();
    }

    /** Fails the first time, when its work is committed. */
    @OnJob("commitsAndFails")
    public void commitsAndFails(JobContext job) throws Exception {
        commits(job);
        if (job.attempt() == 1) {
            throw new IllegalStateException("fails at first");
        }
    }

    /** Leaves its transaction to the container, which rolls it back. */
    @OnJob("leaves")
    public void leaves(JobContext job) throws Exception {
        Notes.write(dataSource, job.id(), job.attempt(), "before");
        transaction.begin();
        Notes.write(dataSource, job.id(), job.attempt(), "left");
    }

    @OnJob("autoCommit")
    public void autoCommit(JobContext job) throws SQLException {
        Notes.write(dataSource, job.id(), job.attempt(), "autoCommit");
    }
}
