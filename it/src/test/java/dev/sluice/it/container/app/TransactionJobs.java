package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.JobQueue;
import dev.sluice.api.OnJob;
import dev.sluice.it.app.Entry;
import dev.sluice.it.app.Ledger;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Queue {@code transaction}: handlers that do more than write with their transaction. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "transaction"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class TransactionJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Resource(lookup = "jdbc/other")
    private DataSource other;

    @Resource(lookup = "sluice/jobs")
    private JobQueue jobs;

    @EJB
    private ApartNotes apart;

    /** Writes in a transaction of its own and in the job's, and fails the first time. */
    @OnJob("apart")
    public void apart(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), "own " + Notes.backend(connection));
            apart.write(job.id(), job.attempt());
            // the connection is still this transaction's
            Notes.write(connection, job.id(), job.attempt(), "own again " + Notes.backend(connection));
        }
        failAtFirst(job);
    }

    /** Enqueues another job, and fails the first time. */
    @OnJob("followUp")
    public void followUp(JobContext job) {
        jobs.enqueue("echo", "text", new Entry((int) job.id(), "follow-up of " + job.id()));
        failAtFirst(job);
    }

    /** Writes to both databases, and fails the first time. */
    @OnJob("both")
    public void both(JobContext job) throws SQLException {
        Ledger.enter(dataSource, job.id(), job.attempt());
        Ledger.enter(other, job.id(), job.attempt());
        failAtFirst(job);
    }

    /** Tries to commit by itself. */
    @OnJob("commits")
    public void commits(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), "commits");
            connection.commit();
        }
    }

    /** Writes what a deferred constraint refuses when the transaction commits. */
    @OnJob("promises")
    public void promises(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into promise (job, kept) values (" + job.id() + ", -1)");
        }
    }

    /** Changes the session for whoever has the connection next. */
    @OnJob("marks")
    public void marks(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path to pg_catalog");
            statement.execute("create temporary table if not exists left_behind (job bigint)");
        }
    }

    private static void failAtFirst(JobContext job) {
        if (job.attempt() == 1) {
            throw new IllegalStateException("fails at first");
        }
    }
}
