package dev.sluice.it.container;

import dev.sluice.api.JobQueue;
import dev.sluice.api.NewJob;
import dev.sluice.api.Operations;
import dev.sluice.it.app.Entry;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** What the server has for a test that runs in it. */
final class Inside {

    private static final String QUEUES = "select not exists (select unnest(array['work', 'both', 'echo',"
            + " 'transaction', 'kept', 'loose', 'batch', 'raw', 'timed', 'untimed',"
            + " 'connection', 'own', 'resources', 'entities']) except select name from sluice.queue)";

    private Inside() {}

    static JobQueue jobs() {
        return lookup("sluice/jobs");
    }

    static Operations operations() {
        return lookup("sluice/operations");
    }

    static DataSource dataSource() {
        return lookup("sluice/ds");
    }

    static DataSource other() {
        return lookup("jdbc/other");
    }

    static UserTransaction transaction() {
        return lookup("java:comp/UserTransaction");
    }

    /** Whether jobs are claimed in the transaction that handles them, where a bean does not say otherwise. */
    static boolean transactional() {
        return "transactional".equals(System.getenv("SLUICE_MODE"));
    }

    static <T> T lookup(String name) {
        try {
            return InitialContext.doLookup(name);
        } catch (NamingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until every queue is there: an application that has just started defines them a moment later. */
    static void awaitQueues() throws SQLException, InterruptedException {
        Witness.WORK.await("true", "select to_regclass('sluice.queue') is not null");
        Witness.WORK.await("true", QUEUES);
    }

    /** Enqueues that many jobs of a kind in one transaction; their payloads are numbered from 1. */
    static List<Long> enqueue(int count, String queue, String kind) {
        return jobs().enqueue(IntStream.rangeClosed(1, count)
                .mapToObj(number -> NewJob.of(queue, kind, new Entry(number, kind)))
                .toList());
    }

    /** How many notes with this text are committed. */
    static long notes(String text) throws SQLException {
        return Witness.WORK.number("select count(*) from note where text = ?", text);
    }

    /** How many PREPARE TRANSACTION statements PostgreSQL has executed. */
    static long prepares() throws SQLException {
        return Witness.WORK.number(
                "select coalesce(sum(calls), 0)::bigint from pg_stat_statements where query ilike 'prepare transaction%'");
    }

    /** Waits until none of these jobs waits or runs. */
    static void awaitEnd(List<Long> ids) throws SQLException, InterruptedException {
        Witness.WORK.await(
                "0",
                "select (select count(*) from sluice.job where id = any(?))"
                        + " + (select count(*) from sluice.scheduled where id = any(?))",
                ids,
                ids);
    }

    static void awaitEnd(long id) throws SQLException, InterruptedException {
        awaitEnd(List.of(id));
    }
}
