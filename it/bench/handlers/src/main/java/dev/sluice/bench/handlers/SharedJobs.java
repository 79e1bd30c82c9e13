package dev.sluice.bench.handlers;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code shared}: writes through {@code sluice/ds}, so on the connection on which its job goes. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "shared"))
public class SharedJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource database;

    @OnJob("enter")
    public void enter(NumberedJob job) throws SQLException {
        Ledger.enter(database, "shared", job);
    }
}
