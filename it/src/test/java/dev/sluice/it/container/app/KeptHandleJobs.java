package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Queue {@code kept}: works on the connection that the bean got when it was made, as old code does. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "kept"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class KeptHandleJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    private Connection connection;

    @PostConstruct
    void connect() throws SQLException {
        connection = dataSource.getConnection();
    }

    @PreDestroy
    void disconnect() throws SQLException {
        connection.close();
    }

    @OnJob("notes")
    public void notes(JobContext job) throws SQLException {
        Notes.write(connection, job.id(), job.attempt(), "kept");
    }
}
