package dev.sluice.rar;

import dev.sluice.api.JobQueue;
import dev.sluice.api.JobRefusedException;
import dev.sluice.api.NewJob;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.queue.Enqueue;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * The administered object {@code sluice/jobs}: a client of {@code sluice/ds}, so that jobs ride whatever transaction that
 * rides. When it has committed, this node's handlers are woken.
 */
public final class JobQueueObject extends AdministeredObject implements JobQueue {

    private static final long serialVersionUID = 1L;

    private String dataSource = "sluice/ds";

    @Override
    public long enqueue(NewJob job) {
        return enqueue(List.of(job)).get(0);
    }

    @Override
    public List<Long> enqueue(List<NewJob> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        List<Run> runs = runsOf(jobs);
        List<Long> ids;
        try (Connection connection = dataSource().getConnection()) {
            // all or none, also where no transaction does it for us
            boolean ownTransaction = runs.size() > 1 && connection.getAutoCommit();
            if (ownTransaction) {
                connection.setAutoCommit(false);
            }
            ids = enqueue(connection, runs);
            if (ownTransaction) {
                connection.commit();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw refused(runs, e);
        }
        Set<String> queues = new HashSet<>();
        runs.forEach(run -> queues.add(run.first().queue()));
        wakeAfterCommit(queues);
        return ids;
    }

    private static JobRefusedException refused(List<Run> runs, SQLException error) {
        NewJob first = runs.get(0).first();
        String what = "job of kind \"" + first.kind() + "\" for queue \"" + first.queue() + "\"";
        return new JobRefusedException(
                (Remedy.connectionLost(error) ? "It is not known whether this was enqueued, a " : "Not enqueued, a ")
                        + what + (runs.size() > 1 ? " and others" : "") + ": " + Remedy.explain(error),
                error);
    }

    /** Neighbours that differ in their payload only, so that one statement enqueues them. */
    private record Run(NewJob first, List<String> payloads) {

        boolean takes(NewJob job) {
            return first.queue().equals(job.queue())
                    && first.kind().equals(job.kind())
                    && first.priority() == job.priority()
                    && first.delay().equals(job.delay());
        }
    }

    private static List<Run> runsOf(List<NewJob> jobs) {
        List<Run> runs = new ArrayList<>();
        for (NewJob job : jobs) {
            Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
            if (last == null || !last.takes(job)) {
                requireStorable("queue", job.queue());
                requireStorable("kind", job.kind());
                last = new Run(job, new ArrayList<>());
                runs.add(last);
            }
            String payload = Payloads.write(job);
            requireStorable("payload of kind \"" + job.kind() + "\"", payload);
            last.payloads().add(payload);
        }
        return runs;
    }

    private List<Long> enqueue(Connection connection, List<Run> runs) throws SQLException {
        Enqueue enqueue = new Enqueue(adapter().engine().database().schema());
        List<Long> ids = new ArrayList<>();
        for (Run run : runs) {
            NewJob job = run.first();
            if (run.payloads().size() == 1) {
                ids.add(enqueue.one(
                        connection, job.queue(), job.kind(), run.payloads().get(0), job.priority(), job.delay()));
            } else {
                ids.addAll(
                        enqueue.many(connection, job.queue(), job.kind(), run.payloads(), job.priority(), job.delay()));
            }
        }
        return ids;
    }

    /** PostgreSQL stores no NUL (section 8.3), and text with half a surrogate pair is no text. */
    private static void requireStorable(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new JobRefusedException(
                    "The " + what + " has a NUL character (U+0000), which PostgreSQL cannot store", null);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new JobRefusedException("The " + what + " has half a surrogate pair, which is not valid text", null);
        }
    }

    private void wakeAfterCommit(Set<String> queues) {
        TransactionSynchronizationRegistry transactions = adapter().transactions();
        if (transactions.getTransactionKey() == null) {
            queues.forEach(adapter().engine()::wake);
            return;
        }
        WakeUp wakeUp = (WakeUp) transactions.getResource(WakeUp.class);
        if (wakeUp == null) {
            wakeUp = new WakeUp();
            transactions.putResource(WakeUp.class, wakeUp);
            transactions.registerInterposedSynchronization(wakeUp);
        }
        wakeUp.queues.addAll(queues);
    }

    /** The queues that a transaction has enqueued to. */
    private final class WakeUp implements Synchronization {

        private final Set<String> queues = new HashSet<>();

        @Override
        public void beforeCompletion() {}

        @Override
        public void afterCompletion(int status) {
            if (status == Status.STATUS_COMMITTED) {
                queues.forEach(adapter().engine()::wake);
            }
        }
    }

    private DataSource dataSource() {
        try {
            return InitialContext.doLookup(dataSource);
        } catch (NamingException e) {
            throw new JobRefusedException(
                    "Not enqueued: there is no connection factory \"" + dataSource
                            + "\". Define it in server.xml, or set the"
                            + " property dataSource of this object to the JNDI name of yours",
                    e);
        }
    }

    /** JNDI name of the connection factory whose transactions the jobs ride. */
    public String getDataSource() {
        return dataSource;
    }

    public void setDataSource(String dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }
}
