package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import dev.sluice.it.app.Entry;
import dev.sluice.it.app.Ledger;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Queue {@code resources}: one row a job, through each of the data sources that a handler may choose. A job whose payload
 * says so fails in its first attempt, after its work.
 */
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
    public void sluice(Entry entry, JobContext job) throws SQLException {
        enter(sluice, entry, job);
    }

    @OnJob("app")
    public void app(Entry entry, JobContext job) throws SQLException {
        enter(app, entry, job);
    }

    @OnJob("appOnePhase")
    public void appOnePhase(Entry entry, JobContext job) throws SQLException {
        enter(appOnePhase, entry, job);
    }

    @OnJob("other")
    public void other(Entry entry, JobContext job) throws SQLException {
        enter(other, entry, job);
    }

    /** Through one that takes part in no transaction. */
    @OnJob("apart")
    public void apart(Entry entry, JobContext job) throws SQLException {
        enter(apart, entry, job);
    }

    private static void enter(DataSource dataSource, Entry entry, JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        if (job.attempt() == 1 && entry.text().equals("fail")) {
            throw new IllegalStateException("fails at first");
        }
    }
}
