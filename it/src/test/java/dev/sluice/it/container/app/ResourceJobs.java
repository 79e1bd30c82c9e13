package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code resources}: one row a job, through each of the data sources that a handler may choose. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "resources"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class ResourceJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource sluice;

    @Resource(lookup = "jdbc/app")
    private DataSource app;

    @Resource(lookup = "jdbc/appOnePhase")
    private DataSource appOnePhase;

    @Resource(lookup = "jdbc/other")
    private DataSource other;

    @Resource(lookup = "jdbc/witness")
    private DataSource apart;

    @OnJob("sluice")
    public void sluice(JobContext job) throws SQLException {
        enter(sluice, job);
    }

    @OnJob("app")
    public void app(JobContext job) throws SQLException {
        enter(app, job);
    }

    @OnJob("appOnePhase")
    public void appOnePhase(JobContext job) throws SQLException {
        enter(appOnePhase, job);
    }

    @OnJob("other")
    public void other(JobContext job) throws SQLException {
        enter(other, job);
    }

    /** Through one that takes part in no transaction. */
    @OnJob("apart")
    public void apart(JobContext job) throws SQLException {
        enter(apart, job);
    }

    private static void enter(DataSource dataSource, JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("insert into ledger (job, attempt) values (?, ?)")) {
            insert.setLong(1, job.id());
            insert.setInt(2, job.attempt());
            insert.executeUpdate();
        }
        if (job.attempt() == 1 && job.kind().startsWith("fail")) {
            throw new IllegalStateException("fails at first");
        }
    }

    @OnJob("failSluice")
    public void failSluice(JobContext job) throws SQLException {
        enter(sluice, job);
    }

    @OnJob("failApp")
    public void failApp(JobContext job) throws SQLException {
        enter(app, job);
    }

    @OnJob("failAppOnePhase")
    public void failAppOnePhase(JobContext job) throws SQLException {
        enter(appOnePhase, job);
    }

    @OnJob("failOther")
    public void failOther(JobContext job) throws SQLException {
        enter(other, job);
    }

    @OnJob("failApart")
    public void failApart(JobContext job) throws SQLException {
        enter(apart, job);
    }
}
