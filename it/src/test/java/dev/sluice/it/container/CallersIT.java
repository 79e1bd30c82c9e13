package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.notes;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.it.container.app.Callers;
import dev.sluice.it.container.app.Notes;
import jakarta.batch.operations.JobOperator;
import jakarta.batch.runtime.BatchRuntime;
import jakarta.batch.runtime.BatchStatus;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The tests of DataSourceIT run in a servlet; these are the other places that code of an application runs in. */
@ExtendWith(ArquillianExtension.class)
@DisplayName("sluice/ds works")
class CallersIT {

    private Callers callers;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(CallersIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
        callers = Inside.lookup("java:app/more-handlers/Callers!dev.sluice.it.container.app.Callers");
    }

    private interface Call {
        void with(String text, boolean fail) throws Exception;
    }

    /** What is written twice, and then fails: both or none in a transaction, both without one. */
    private static void writes(String name, Call call, int leftByFailure) throws Exception {
        call.with(name + " good", false);
        assertThrows(Exception.class, () -> call.with(name + " bad", true));

        assertAll(
                () -> assertEquals(2, notes(name + " good")),
                () -> assertEquals(leftByFailure, notes(name + " bad"), "left by the failure"));
    }

    @Test
    @DisplayName("in the transaction of a session bean, which rolls back when it fails")
    void sessionBean() throws Exception {
        writes("session bean", callers::writeTwice, 0);
    }

    @Test
    @DisplayName("in a session bean without a transaction, each statement by itself")
    void sessionBeanWithout() throws Exception {
        writes("session bean without", callers::writeTwiceWithout, 2);
    }

    @Test
    @DisplayName("in a bean of CDI with @Transactional, which rolls back when it fails")
    void cdiBean() throws Exception {
        writes("CDI bean", callers::writeTwiceByCdi, 0);
    }

    @Test
    @DisplayName("on a thread of a managed executor, by itself and in a transaction of that thread")
    void managedThread() throws Exception {
        writes("thread", (text, fail) -> onThread(text, fail, false), 2);
        writes("thread with transaction", (text, fail) -> onThread(text, fail, true), 0);
    }

    private static void onThread(String text, boolean fail, boolean inTransaction) throws Exception {
        ManagedExecutorService executor = Inside.lookup("java:comp/DefaultManagedExecutorService");
        executor.submit(() -> {
                    UserTransaction transaction = Inside.transaction();
                    if (inTransaction) {
                        transaction.begin();
                    }
                    Notes.write(Inside.dataSource(), 0, 0, text);
                    Notes.write(Inside.dataSource(), 0, 0, text);
                    if (fail) {
                        if (inTransaction) {
                            transaction.rollback();
                        }
                        throw new IllegalStateException("told to");
                    }
                    if (inTransaction) {
                        transaction.commit();
                    }
                    return null;
                })
                .get(30, TimeUnit.SECONDS);
    }

    @Test
    @DisplayName("in a batchlet, by itself and in a transaction of the batchlet's")
    void batchlet() throws Exception {
        assertEquals(BatchStatus.COMPLETED, run("notes-batchlet"));

        assertAll(
                () -> assertEquals(1, notes("batchlet without")),
                () -> assertEquals(0, notes("batchlet rolled back")),
                () -> assertEquals(1, notes("batchlet committed")));
    }

    @Test
    @DisplayName("in a chunk, whose work commits with the chunk or not at all")
    void chunk() throws Exception {
        assertEquals(BatchStatus.FAILED, run("notes-chunk"));

        assertEquals(
                "chunk 1, chunk 2, chunk 3, chunk 4, chunk 5",
                WORK.query("select string_agg(text, ', ' order by id) from note where text like 'chunk %'"),
                "the chunk that failed at 8 is not there");
    }

    private static BatchStatus run(String name) throws Exception {
        JobOperator operator = BatchRuntime.getJobOperator();
        long execution = operator.start(name, new Properties());
        WORK.await("true", "select batchstatus in (3, 4, 5) from batch.jobexecution where jobexecid = ?", execution);
        return operator.getJobExecution(execution).getBatchStatus();
    }

    @Test
    @DisplayName("in a handler with transactions of its own, which is run again when it fails after its commit")
    void ownTransactions() throws Exception {
        long commits = Inside.jobs().enqueue("own", "commits", null);
        long fails = Inside.jobs().enqueue("own", "commitsAndFails", null);
        long leaves = Inside.jobs().enqueue("own", "leaves", null);
        long autoCommit = Inside.jobs().enqueue("own", "autoCommit", null);

        awaitEnd(List.of(commits, fails, leaves, autoCommit));

        assertAll(
                () -> assertEquals("1 commits", notesOf(commits)),
                () -> assertEquals("1 commits, 2 commits", notesOf(fails), "at least once"),
                () -> assertEquals("1 before, 2 before", notesOf(leaves), "what was left is rolled back"),
                () -> assertEquals(
                        1, WORK.number("select count(*) from sluice.dead_letter where id = ?", leaves), "leaves"),
                () -> assertEquals("1 autoCommit", notesOf(autoCommit)));
    }

    private static String notesOf(long id) throws SQLException {
        return WORK.query("select string_agg(attempt || ' ' || text, ', ' order by id) from note where job = ?", id);
    }
}
