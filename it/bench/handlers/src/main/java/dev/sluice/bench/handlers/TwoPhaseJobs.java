package dev.sluice.bench.handlers;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code twophase}: writes through an XA data source of its own into another database. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "twophase"))
public class TwoPhaseJobs implements JobListener {

    @Resource(lookup = "jdbc/apart")
    private DataSource database;

    @OnJob("enter")
    public void enter(NumberedJob job) throws SQLException {
        Ledger.enter(database, "twophase", job);
    }
}
