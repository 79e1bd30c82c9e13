package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.NewJob;
import java.util.ArrayList;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** One job at a time, so that each works on the connection that the one before had, if it was left. */
@ExtendWith(ArquillianExtension.class)
@DisplayName("On the connection of its job, a handler")
class HandlerSessionIT {

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(HandlerSessionIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("has large objects, arrays and savepoints in the transaction of the job")
    void uses() throws Exception {
        long id = Inside.jobs().enqueue("connection", "uses", null);
        awaitEnd(id);
        assertEquals("3 2 3", WORK.query("select string_agg(text, ', ') from note where job = ?", id));
    }

    @Test
    @DisplayName("fails when it executes what would end the transaction, and nothing is committed")
    void endingStatement() throws Exception {
        List<String> ending = List.of("commit", "rollback", "select 1; commit", "prepare transaction 'by hand'");
        List<Long> ids = Inside.jobs()
                .enqueue(ending.stream()
                        .map(sql -> NewJob.of("connection", "executes", sql))
                        .toList());
        awaitEnd(ids);

        assertAll(
                () -> assertEquals(
                        ending.size(),
                        WORK.number(
                                "select count(*) from sluice.dead_letter where attempt = 2 and id = any(?)"
                                        + " and error like '%is refused in the transaction of %setRollbackOnly%'",
                                ids)),
                () -> assertEquals(0, WORK.number("select count(*) from note where job = any(?)", ids)));
    }

    @Test
    @DisplayName("may change the session: that succeeds with the job, and is not there for the next one")
    void sessionChange() throws Exception {
        List<Executable> checks = new ArrayList<>();
        for (String sql : new String[] {
            "set search_path to pg_catalog",
            "set default_transaction_read_only to on",
            "set session characteristics as transaction isolation level serializable",
            "set statement_timeout to '7s'",
            "select set_config('statement_timeout', '7s', false)",
            "do $$ begin set time zone 'Asia/Tokyo'; end $$",
            "listen elsewhere",
            "select pg_advisory_lock(4712)",
            "create temporary table left_behind (n int)",
            "prepare left_behind as select 1"
        }) {
            String before = look();
            long changes = Inside.jobs().enqueue("connection", "executes", sql);
            awaitEnd(changes);
            String after = look();

            checks.add(() -> assertEquals(before, after, sql));
            checks.add(() -> assertEquals(
                    1, WORK.number("select count(*) from note where job = ?", changes), sql + " does not succeed"));
            checks.add(() -> WORK.await(
                    "0",
                    "select count(*) from pg_stat_activity where pid ="
                            + " (select substring(text from '\\d+$')::int from note where job = ?)",
                    changes));
        }
        assertAll(checks);
    }

    @Test
    @DisplayName(
            "may leave another role, without harm to the queue or the next one; in leased mode it needs rights to its job")
    void role() throws Exception {
        boolean claimedInTransaction = Inside.transactional();
        List<Executable> checks = new ArrayList<>();
        for (String sql :
                new String[] {"set role pg_monitor", "set local role pg_monitor", "set session authorization pg_monitor"
                }) {
            String before = look();
            long changes = Inside.jobs().enqueue("connection", "executes", sql);
            awaitEnd(changes);
            String after = look();

            checks.add(() -> assertEquals(before, after, sql));
            long done = WORK.number("select count(*) from note where job = ?", changes);
            String error = WORK.query("select error from sluice.dead_letter where id = ?", changes);
            if (claimedInTransaction) {
                checks.add(() -> assertEquals(1, done, sql + ": " + error));
            } else {
                checks.add(() -> assertEquals(0, done, sql));
                checks.add(() -> assertTrue(error != null && error.contains("permission denied"), error));
            }
        }
        assertAll(checks);
    }

    @Test
    @DisplayName("that makes its transaction read-only fails where the job is still to go in it, and says why")
    void readOnly() throws Exception {
        long id = Inside.jobs().enqueue("connection", "executes", "set transaction read only");
        awaitEnd(id);

        String error = WORK.query("select error from sluice.dead_letter where id = ?", id);
        if (Inside.transactional()) {
            assertEquals(null, error);
        } else {
            assertTrue(error != null && error.contains("read-only transaction"), error);
        }
    }

    private static String look() throws Exception {
        long id = Inside.jobs().enqueue("connection", "looks", null);
        awaitEnd(id);
        String session = WORK.query("select text from note where job = ?", id);
        assertNotNull(session, "it did not look");
        return session;
    }
}
