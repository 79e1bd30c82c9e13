package dev.sluice.it.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** Queue {@code both}: writes to two databases in one transaction. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "both"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "100"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "200")
        })
public class TwoPhaseJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource here;

    @Resource(lookup = "jdbc/other")
    private DataSource there;

    @OnJob("enter")
    public void enter(JobContext job) throws SQLException {
        Ledger.enter(here, job.id(), job.attempt());
        Ledger.enter(there, job.id(), job.attempt());
    }

    /** Writes through a data source that only some servers have. */
    @OnJob("onePhase")
    public void onePhase(JobContext job) throws SQLException, NamingException {
        Ledger.enter(InitialContext.<DataSource>doLookup("jdbc/onePhase"), job.id(), job.attempt());
    }
}
