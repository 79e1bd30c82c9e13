package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.enqueue;
import static dev.sluice.it.container.Witness.OTHER;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.NewJob;
import dev.sluice.it.app.Entry;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What docs/data-sources.md says of each choice: a test for each row of its table. */
@ExtendWith(ArquillianExtension.class)
@DisplayName("A handler that writes one row")
class DataSourceChoiceIT {

    private static final int JOBS = 60;

    /** Commits that are not the jobs': the heartbeat, and what PostgreSQL does in the background. */
    private static final int SLACK = 25;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(DataSourceChoiceIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("through sluice/ds costs one commit and no PREPARE a job, and a failed attempt leaves nothing")
    void sluice() throws Exception {
        costs("resources", "sluice", WORK, 1, 0);
        leaves("sluice", WORK, 1);
    }

    @Test
    @DisplayName(
            "through its own XA data source to this database costs two PREPAREs a job, and a failed attempt leaves nothing")
    void app() throws Exception {
        costs("resources", "app", WORK, 0, 2);
        leaves("app", WORK, 1);
    }

    @Test
    @DisplayName(
            "through a data source without XA costs a PREPARE and a commit a job, and a failed attempt leaves nothing")
    void appOnePhase() throws Exception {
        costs("resources", "appOnePhase", WORK, 1, 1);
        leaves("appOnePhase", WORK, 1);
    }

    @Test
    @DisplayName("through an XA resource elsewhere costs a PREPARE in each place, and a failed attempt leaves nothing")
    void other() throws Exception {
        // both databases are of one server, whose WAL is counted
        costs("resources", "other", OTHER, 0, 2);
        leaves("other", OTHER, 1);
    }

    @Test
    @DisplayName(
            "through a data source without transactions costs a commit for each statement, and a failed attempt leaves its row")
    void apart() throws Exception {
        costs("resources", "apart", WORK, 2, 0);
        leaves("apart", WORK, 2);
    }

    @Test
    @DisplayName("without a container transaction costs a commit for each statement and one for the job")
    void withoutTransaction() throws Exception {
        List<Long> ids = measured("loose", "notes", 2, 0);
        assertEquals(JOBS, WORK.number("select count(*) from note where job = any(?)", ids));
    }

    @Test
    @DisplayName("in a transaction that it begins itself costs one commit for that and one for the job")
    void ownTransaction() throws Exception {
        List<Long> ids = measured("own", "commits", 2, 0);
        assertEquals(JOBS, WORK.number("select count(*) from note where job = any(?)", ids));
    }

    private static void costs(String queue, String kind, Witness where, int commits, int prepares) throws Exception {
        List<Long> ids = measured(queue, kind, commits, prepares);
        assertAll(
                () -> assertEquals(JOBS, where.number("select count(*) from ledger where job = any(?)", ids)),
                () -> assertEquals(
                        JOBS, where.number("select count(distinct job) from ledger where job = any(?)", ids)));
    }

    private static List<Long> measured(String queue, String kind, int commits, int prepares) throws Exception {
        // connections and plans are there already
        awaitEnd(enqueue(5, queue, kind));
        awaitNothingPrepared();
        String begin = WORK.query("select pg_current_wal_flush_lsn()");
        long claims = Inside.operations().status().claims();

        List<Long> ids = enqueue(JOBS, queue, kind);
        awaitEnd(ids);
        awaitNothingPrepared();

        // in the other mode they are part of the handlers' transactions
        boolean leased = !Inside.transactional() || queue.equals("loose") || queue.equals("own");
        long ofClaims = leased ? Inside.operations().status().claims() - claims : 0;
        long committed = walRecords("Transaction/COMMIT", begin);
        long least = (long) commits * JOBS;
        long most = least + ofClaims + SLACK;
        assertAll(
                () -> assertTrue(
                        committed >= least && committed <= most,
                        committed + " commits, not " + least + " to " + most + " for " + JOBS + " jobs"),
                () -> assertEquals((long) prepares * JOBS, walRecords("Transaction/PREPARE", begin), "PREPAREs"),
                () -> assertEquals(
                        (long) prepares * JOBS,
                        walRecords("Transaction/COMMIT_PREPARED", begin),
                        "commits of what was prepared"));
        return ids;
    }

    /** Records of this type that PostgreSQL has logged since; every commit that changed something is one. */
    private static long walRecords(String type, String since) throws SQLException {
        return WORK.number(
                "select coalesce(sum(count), 0)::bigint from"
                        + " pg_get_wal_stats(?::pg_lsn, pg_current_wal_flush_lsn(), true)"
                        + " where \"resource_manager/record_type\" = ?",
                since,
                type);
    }

    /** Each of these jobs fails after its work in its first attempt, and succeeds in its second. */
    private static void leaves(String kind, Witness where, int rows) throws Exception {
        List<Long> ids = Inside.jobs()
                .enqueue(IntStream.rangeClosed(1, 5)
                        .mapToObj(number -> NewJob.of("resources", kind, new Entry(number, "fail")))
                        .toList());
        awaitEnd(ids);
        awaitNothingPrepared();
        assertAll(
                () -> assertEquals(
                        5L * rows, where.number("select count(*) from ledger where job = any(?)", ids), "rows"),
                () -> assertEquals(
                        5, where.number("select count(*) from ledger where attempt = 2 and job = any(?)", ids)));
    }

    /** When a job is gone, the other branch of its transaction may still wait for its COMMIT PREPARED. */
    private static void awaitNothingPrepared() throws Exception {
        WORK.await("0", "select count(*) from pg_prepared_xacts");
    }
}
