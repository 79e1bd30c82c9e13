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
        String holder = job.getJobName() + "/" + step.getStepName() + " execution " + job.getExecutionId();
        waiting = Thread.currentThread();
        try (Permit permit = operations.admission().acquire(budget, holder, deadline())) {
            waiting = null;
            return stopped ? BatchStatus.STOPPED.name() : run(permit);
        } catch (InterruptedException e) {
            if (stopped) {
                return BatchStatus.STOPPED.name();
            }
            throw e;
        } finally {
            waiting = null;
        }
    }

    private String run(Permit permit) throws NamingException, SQLException {
        DataSource dataSource = InitialContext.doLookup("sluice/ds");
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            permit.bind(connection);
            running = statement;
            if (stopped) {
                return BatchStatus.STOPPED.name();
            }
            statement.execute(sql);
            return BatchStatus.COMPLETED.name();
        } catch (SQLException e) {
            if (stopped) {
                return BatchStatus.STOPPED.name();
            }
            throw e;
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
