package dev.sluice.it.container;

import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.Permit;
import dev.sluice.ejb.ReportRuns;
import jakarta.batch.runtime.BatchStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("A report under a permit")
class ReportIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 20;

    private static final String RUNNING =
            "select count(*) from pg_stat_activity where state = 'active' and query like '/* report=%'";

    private ReportRuns reports;
    private Admission admission;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(ReportIT.class);
    }

    @BeforeEach
    void budget() throws Exception {
        Inside.awaitQueues();
        reports = Inside.lookup("java:app/sluice-ejb/ReportRuns!dev.sluice.ejb.ReportRuns");
        admission = Inside.operations().admission();
        WORK.execute("select sluice.define_budget('reports', 1)");
    }

    @AfterEach
    void noPermitStays() throws Exception {
        try {
            WORK.await("0", "select count(*) from sluice.permit");
        } finally {
            // for the next test: who still waits is told that his request is lost
            WORK.execute("delete from sluice.permit");
            WORK.execute("delete from sluice.node where name = 'another'");
        }
    }

    @Test
    @DisplayName("It runs on the connection that its permit names, completes, and gives the permit back")
    void completes() throws Exception {
        long execution = reports.start("pause", null);

        WORK.await(
                "1",
                "select count(*) from sluice.permit p join pg_stat_activity a"
                        + " on a.pid = p.backend_pid and a.backend_start = p.backend_start"
                        + " where p.granted_at is not null and p.holder = ? and a.state = 'active'"
                        + " and a.query like '%report=''pause''%'",
                "pause/query execution " + execution);
        awaitStatus(execution, BatchStatus.COMPLETED);
        assertEquals(0, WORK.number("select count(*) from sluice.permit"));
    }

    @Test
    @DisplayName("Of three that are started at once one runs at a time")
    void oneAtATime() throws Exception {
        List<Long> executions = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            executions.add(reports.start("pause", null));
        }

        long most = 0;
        long until = System.nanoTime() + LIMIT.toNanos();
        while (!executions.stream().allMatch(each -> reports.status(each) == BatchStatus.COMPLETED)) {
            assertTrue(System.nanoTime() - until < 0, "not completed: " + executions);
            most = Math.max(most, WORK.number(RUNNING));
            assertTrue(
                    WORK.number("select count(*) from sluice.permit where granted_at is not null") <= 1,
                    "more than one permit is held");
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        assertEquals(1, most);
    }

    @Test
    @DisplayName("While another holds the only permit it waits without a transaction or snapshot, then runs")
    void waitsWithoutTransaction() throws Exception {
        long execution;
        try (Permit held = admission.acquire("reports", "the test", Duration.ofSeconds(10))) {
            execution = startAndAwaitRequest();
            String since = WORK.query("select clock_timestamp()::text");
            for (int i = 0; i < 5; i++) {
                awaitAsked();
                assertEquals(
                        null,
                        WORK.query(
                                "select string_agg(application_name || ': ' || state || ': ' || query, '; ')"
                                        + " from pg_stat_activity where backend_type = 'client backend'"
                                        + " and pid <> pg_backend_pid()"
                                        + " and (xact_start < ?::timestamptz or state like 'idle in transaction%')",
                                since));
            }
            assertAll(
                    () -> assertEquals(0, WORK.number(RUNNING)),
                    () -> assertEquals(BatchStatus.STARTED, reports.status(execution)));
        }
        awaitStatus(execution, BatchStatus.COMPLETED);
    }

    @Test
    @DisplayName("A permit that another live server holds is waited for, and comes free when that server is gone")
    void waitsForAnotherServer() throws Exception {
        long node = WORK.number("insert into sluice.node (name, timeout, seen_at)"
                + " values ('another', '15 s', clock_timestamp() + interval '1 day') returning id");
        long permit = WORK.number("select sluice.request_permit('reports', ?, 'another')", node);
        assertEquals("granted", WORK.query("select sluice.grant_permit(?)", permit));

        long execution = startAndAwaitRequest();
        awaitAsked();
        assertEquals(0, WORK.number(RUNNING));

        WORK.execute("update sluice.node set seen_at = clock_timestamp() - interval '1 hour' where id = ?", node);
        awaitStatus(execution, BatchStatus.COMPLETED);
    }

    @Test
    @DisplayName("Stopped while it waits it ends at once and leaves the queue of requests")
    void stopsWhileWaiting() throws Exception {
        try (Permit held = admission.acquire("reports", "the test", Duration.ofSeconds(10))) {
            long execution = startAndAwaitRequest();

            reports.stop(execution);

            // the permit is held and its deadline is an hour away
            awaitStatus(execution, BatchStatus.STOPPED);
            WORK.await("the test", "select string_agg(holder, ', ') from sluice.permit");
        }
    }

    @Test
    @DisplayName("Stopped while it queries it cancels its statement and gives the permit back")
    void stopsWhileRunning() throws Exception {
        long execution = reports.start("endless", null);
        WORK.await("1", RUNNING);

        reports.stop(execution);

        awaitStatus(execution, BatchStatus.STOPPED);
        WORK.await("0", RUNNING);
    }

    @Test
    @DisplayName("One whose query fails gives the permit back")
    void fails() throws Exception {
        awaitStatus(reports.start("failing", null), BatchStatus.FAILED);
        awaitStatus(reports.start("pause", null), BatchStatus.COMPLETED);
    }

    @Test
    @DisplayName("A caller in a transaction that rolls back has started it all the same")
    void startedInTransaction() throws Exception {
        Inside.transaction().begin();
        long execution = reports.start("pause", null);
        Inside.transaction().rollback();
        awaitStatus(execution, BatchStatus.COMPLETED);
    }

    @Test
    @DisplayName("A permit that is not free within the deadline is refused, with the budget and what to do")
    void deadline() throws Exception {
        try (Permit held = admission.acquire("reports", "the test", Duration.ofSeconds(10))) {
            String message = assertThrows(
                            AdmissionException.class,
                            () -> admission.acquire("reports", "impatient", Duration.ofMillis(300)))
                    .getMessage();
            assertEquals(
                    "No permit of budget \"reports\" was free within PT0.3S. Wait longer, or raise its limit with"
                            + " sluice.define_budget.",
                    message);
            WORK.await("the test", "select string_agg(holder, ', ') from sluice.permit");
        }
    }

    @Test
    @DisplayName("An unknown budget is refused with the budgets that there are and how to make one")
    void unknownBudget() {
        String message = assertThrows(
                        AdmissionException.class,
                        () -> admission.acquire("nothing", "the test", Duration.ofSeconds(10)))
                .getMessage();
        assertTrue(
                message.contains("there is no budget \"nothing\"")
                        && message.contains("Budgets: reports")
                        && message.contains("sluice.define_budget('nothing', 1)"),
                message);
    }

    private long startAndAwaitRequest() throws Exception {
        long execution = reports.start("pause", null);
        WORK.await(
                "1",
                "select count(*) from sluice.permit where granted_at is null and holder = ?",
                "pause/query execution " + execution);
        return execution;
    }

    /** Waits until whoever waits has asked twice more. */
    private static void awaitAsked() throws Exception {
        String asked = "select sum(calls)::bigint from pg_stat_statements where query like '%.grant_permit(%'";
        WORK.await("true", "select (" + asked + ") >= ?", WORK.number(asked) + 2);
    }

    private void awaitStatus(long execution, BatchStatus wanted) throws InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (reports.status(execution) != wanted) {
            assertTrue(System.nanoTime() - until < 0, "not " + wanted + " but " + reports.status(execution));
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
