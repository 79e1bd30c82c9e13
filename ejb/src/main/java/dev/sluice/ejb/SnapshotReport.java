package dev.sluice.ejb;

import dev.sluice.api.Operations;
import dev.sluice.api.Permit;
import jakarta.batch.api.BatchProperty;
import jakarta.batch.api.Batchlet;
import jakarta.batch.runtime.BatchStatus;
import jakarta.batch.runtime.context.JobContext;
import jakarta.batch.runtime.context.StepContext;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * A report that sees one snapshot: one statement, on a connection of its own, under one permit of a budget. It waits for
 * the permit without a transaction or snapshot. Stopped, it cancels the statement; restarted, it begins from zero.
 *
 * <p>Named in a job XML by its class name, with the properties {@code budget}, {@code sql} and, if need be,
 * {@code deadlineSeconds} (how long to wait for the permit, one hour by default).
 */
@Dependent
public class SnapshotReport implements Batchlet {

    private static final Logger LOG = System.getLogger(SnapshotReport.class.getName());
    private static final String DEFAULT_DEADLINE = "3600";

    @Inject
    @BatchProperty
    private String budget;

    @Inject
    @BatchProperty
    private String sql;

    @Inject
    @BatchProperty
    private String deadlineSeconds;

    @Inject
    private JobContext job;

    @Inject
    private StepContext step;

    private volatile Thread waiting;
    private volatile Statement running;
    private volatile boolean stopped;

    @Override
    public String process() throws NamingException, SQLException, InterruptedException {
        require("budget", budget);
        require("sql", sql);
        Operations operations = InitialContext.doLookup("sluice/operations");
        DataSource dataSource = InitialContext.doLookup("sluice/ds");
        // The handle is not a session yet: that begins with its first use, under the permit. The permit is given back
        // before the handle, since it has to know whether its session is well.
        try (Connection connection = dataSource.getConnection();
                Permit permit = acquire(operations)) {
            permit.bind(connection);
            return run(connection);
        } catch (InterruptedException | SQLException e) {
            if (stopped) {
                return BatchStatus.STOPPED.name();
            }
            throw e;
        }
    }

    private Permit acquire(Operations operations) throws InterruptedException {
        String holder = job.getJobName() + "/" + step.getStepName() + " execution " + job.getExecutionId();
        waiting = Thread.currentThread();
        try {
            return operations.admission().acquire(budget, holder, deadline());
        } finally {
            waiting = null;
            if (stopped) {
                // from stop(), perhaps too late for the wait: it is not for whoever has this thread next
                Thread.interrupted();
            }
        }
    }

    private String run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            running = statement;
            if (stopped) {
                return BatchStatus.STOPPED.name();
            }
            statement.execute(sql);
            return BatchStatus.COMPLETED.name();
        } finally {
            running = null;
        }
    }

    /** Ends the wait or the statement at once. */
    @Override
    public void stop() throws SQLException {
        stopped = true;
        Thread waiter = waiting;
        if (waiter != null) {
            waiter.interrupt();
        }
        Statement statement = running;
        if (statement != null) {
            LOG.log(Level.INFO, "Report {0} is cancelled", job.getJobName());
            statement.cancel();
        }
    }

    private Duration deadline() {
        String seconds = deadlineSeconds == null || deadlineSeconds.isBlank() ? DEFAULT_DEADLINE : deadlineSeconds;
        try {
            return Duration.ofSeconds(Long.parseLong(seconds.trim()));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Property deadlineSeconds of step " + step.getStepName() + " is a number, not \"" + seconds + "\"",
                    e);
        }
    }

    private void require(String property, String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(
                    "Step " + step.getStepName() + " of job " + job.getJobName() + " lacks the property " + property);
        }
    }
}
