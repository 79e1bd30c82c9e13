package dev.sluice.it.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.MessageDrivenContext;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** Queue {@code work}: a kind for each way in which a handler can end. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "work"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "200")
        })
public class WorkJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @PersistenceContext(unitName = "ledger")
    private EntityManager entities;

    @Resource
    private MessageDrivenContext context;

    @OnJob("nothing")
    public void nothing() {}

    @OnJob("enter")
    public void enter(Entry entry, JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
    }

    @OnJob("persist")
    public void persist(JobContext job, Entry entry) {
        entities.persist(new LedgerRow(job.id(), job.attempt()));
    }

    /** Fails one time in five, before or after its work, and succeeds at its last attempt. */
    @OnJob("random")
    public void random(JobContext job) throws SQLException {
        if (job.attempt() < 3 && ThreadLocalRandom.current().nextInt(10) == 0) {
            throw new IllegalStateException("before");
        }
        Ledger.enter(dataSource, job.id(), job.attempt());
        if (job.attempt() < 3 && ThreadLocalRandom.current().nextInt(10) == 0) {
            throw new IllegalStateException("after");
        }
    }

    @OnJob("runtime")
    public void runtimeException(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        throw new IllegalStateException("runtime exception at attempt " + job.attempt());
    }

    @OnJob("checked")
    public void checkedException(JobContext job) throws Exception {
        Ledger.enter(dataSource, job.id(), job.attempt());
        throw new java.io.IOException("checked exception at attempt " + job.attempt());
    }

    @OnJob("error")
    public void error(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        throw new AssertionError("error at attempt " + job.attempt());
    }

    @OnJob("rollbackOnly")
    public void rollbackOnly(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        context.setRollbackOnly();
    }

    @OnJob("swallow")
    public void swallow(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 1 / 0");
        } catch (SQLException e) {
            // swallowed, as people do
        }
    }

    /** Waits in the database until the test lets it go on. */
    @OnJob("gated")
    public void gated(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select pg_advisory_xact_lock_shared(" + Gate.KEY + ")");
        }
    }

    /** Works for as many milliseconds as its payload says. */
    @OnJob("busy")
    public void busy(int millis, JobContext job) throws SQLException, InterruptedException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        Thread.sleep(millis);
    }

    /** Takes the server with it. */
    @OnJob("halt")
    public void halt() {
        Runtime.getRuntime().halt(137);
    }
}
