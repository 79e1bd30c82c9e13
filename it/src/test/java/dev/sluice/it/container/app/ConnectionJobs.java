package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.io.ByteArrayInputStream;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.sql.DataSource;

/** Queue {@code connection}: what can be done wrong, or just so, with the connection of a job. One at a time. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "connection"),
            @ActivationConfigProperty(propertyName = "concurrency", propertyValue = "1"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class ConnectionJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Resource
    private ManagedExecutorService executor;

    @Resource
    private TransactionSynchronizationRegistry transactions;

    @EJB
    private Keeper keeper;

    @EJB
    private ApartNotes apart;

    /** Leaves everything open: the connection, a statement, a result set half read, and keeps it. */
    @OnJob("keeps")
    public void keeps(JobContext job) throws SQLException {
        Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement("select n from generate_series(1, 1000) n");
        statement.setFetchSize(10);
        ResultSet rows = statement.executeQuery();
        rows.next();
        keeper.keep(connection, statement, rows);
        transactions.registerInterposedSynchronization(keeper.look());
        Notes.write(connection, job.id(), job.attempt(), "keeps on " + Notes.backend(connection));
    }

    /** Tries what an earlier job kept, in a transaction of its own that must not notice. */
    @OnJob("triesKept")
    public void triesKept(JobContext job) throws SQLException {
        String refusals = keeper.tryAll();
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), "on " + Notes.backend(connection) + ": " + refusals);
        }
    }

    /** Has another thread work on its connection. */
    @OnJob("lends")
    public void lends(JobContext job) throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), "lends");
            String refusal = onAnotherThread(() -> {
                try {
                    Notes.write(connection, job.id(), job.attempt(), "borrowed");
                    return "none";
                } catch (SQLException e) {
                    return e.getMessage();
                }
            });
            Notes.write(connection, job.id(), job.attempt(), "refusal: " + refusal);
        }
    }

    /** Has another thread work on a connection of that thread's own, and fails the first time. */
    @OnJob("forks")
    public void forks(JobContext job) throws Exception {
        Notes.write(dataSource, job.id(), job.attempt(), "own");
        onAnotherThread(() -> {
            Notes.write(dataSource, job.id(), job.attempt(), "thread");
            UserTransaction transaction = InitialContext.doLookup("java:comp/UserTransaction");
            transaction.begin();
            Notes.write(dataSource, job.id(), job.attempt(), "thread rolled back");
            transaction.rollback();
            transaction.begin();
            Notes.write(dataSource, job.id(), job.attempt(), "thread committed");
            transaction.commit();
            return null;
        });
        failAtFirst(job);
    }

    private <T> T onAnotherThread(Callable<T> work) throws Exception {
        try {
            return executor.submit(work).get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    /** Hands its connection to a method that has another transaction. */
    @OnJob("handsOn")
    public void handsOn(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), "handsOn");
            Notes.write(
                    connection,
                    job.id(),
                    job.attempt(),
                    "refusal: " + apart.writeOn(connection, job.id(), job.attempt()));
        }
    }

    /** Loses its connection to an administrator the first time. */
    @OnJob("cutOff")
    public void cutOff(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            Notes.write(connection, job.id(), job.attempt(), "cutOff");
            if (job.attempt() == 1) {
                statement.execute("select pg_terminate_backend(pg_backend_pid())");
            }
        }
    }

    /** Executes what its payload says, and leaves it so. */
    @OnJob("executes")
    public void executes(String sql, JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            Notes.write(connection, job.id(), job.attempt(), "executes on " + Notes.backend(connection));
            statement.execute(sql);
        }
    }

    /** Notes what its session is like. */
    @OnJob("looks")
    public void looks(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job.id(), job.attempt(), Notes.session(connection));
        }
    }

    /** Reads and writes a large object and an array, and goes back to a savepoint. */
    @OnJob("uses")
    public void uses(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("select lo_from_bytea(0, ?), array[1, 2], lo_get(?)")) {
            select.setBytes(1, new byte[] {1, 2, 3});
            select.setBlob(2, new ByteArrayInputStream(new byte[] {7, 8, 9}));
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Blob read = row.getBlob(1);
                Integer[] numbers = (Integer[]) row.getArray(2).getArray();
                var savepoint = connection.setSavepoint();
                Notes.write(connection, job.id(), job.attempt(), "undone");
                connection.rollback(savepoint);
                Notes.write(
                        connection,
                        job.id(),
                        job.attempt(),
                        read.length() + " " + numbers.length + " " + row.getBytes(3).length);
            }
        }
    }

    private static void failAtFirst(JobContext job) {
        if (job.attempt() == 1) {
            throw new IllegalStateException("fails at first");
        }
    }
}
