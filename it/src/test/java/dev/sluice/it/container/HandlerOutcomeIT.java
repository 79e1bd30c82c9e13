package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.enqueue;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.app.Entry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("What becomes of a job when its handler ends")
class HandlerOutcomeIT {

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(HandlerOutcomeIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("Handlers that fail at random leave one row a job in the ledger, no dead letter and no claim")
    void everyJobHasItsEffectOnce() throws Exception {
        List<Long> ids = new ArrayList<>(enqueue(500, "work", "random"));
        ids.addAll(enqueue(500, "work", "enter"));
        ids.addAll(enqueue(500, "work", "persist"));

        awaitEnd(ids);

        assertAll(
                () -> assertEquals(1_500, WORK.number("select count(*) from ledger where job = any(?)", ids)),
                () -> assertEquals(
                        1_500, WORK.number("select count(distinct job) from ledger where job = any(?)", ids)),
                () -> assertEquals(0, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", ids)),
                () -> assertTrue(
                        WORK.number("select count(*) from ledger where attempt > 1 and job = any(?)", ids) > 0,
                        "no handler failed, so nothing was tested"));
        WORK.await("0", "select count(*) from sluice.claim");
        assertEquals(0, WORK.number("select count(*) from sluice.job where lease is not null"));
    }

    @Test
    @DisplayName("A runtime exception rolls back and becomes a dead letter at the third attempt")
    void runtimeException() throws Exception {
        diesAfterThreeAttempts("work", "runtime", "runtime exception at attempt 3");
    }

    @Test
    @DisplayName("A checked exception rolls back and becomes a dead letter at the third attempt")
    void checkedException() throws Exception {
        diesAfterThreeAttempts("work", "checked", "checked exception at attempt 3");
    }

    @Test
    @DisplayName("An Error rolls back and becomes a dead letter at the third attempt")
    void error() throws Exception {
        diesAfterThreeAttempts("work", "error", "error at attempt 3");
    }

    @Test
    @DisplayName("setRollbackOnly without an exception becomes a dead letter at the third attempt")
    void setRollbackOnly() throws Exception {
        diesAfterThreeAttempts("work", "rollbackOnly", "rolled back");
    }

    @Test
    @DisplayName("A swallowed SQLException does not commit half of the work, and the dead letter names it")
    void swallowedException() throws Exception {
        diesAfterThreeAttempts("work", "swallow", "division by zero");
    }

    @Test
    @DisplayName("A bean that cannot be made becomes a dead letter at the third attempt")
    void constructorFailure() throws Exception {
        diesAfterThreeAttempts("broken", "nothing", "this bean cannot be made");
    }

    private static void diesAfterThreeAttempts(String queue, String kind, String cause) throws Exception {
        long id = Inside.jobs().enqueue(queue, kind, new Entry(1, kind));

        awaitEnd(id);

        String error = WORK.query("select error from sluice.dead_letter where id = ?", id);
        assertAll(
                () -> assertEquals(
                        "3", WORK.query("select attempt from sluice.dead_letter where id = ?", id), "attempts"),
                () -> assertTrue(error != null && error.contains(cause), error),
                () -> assertEquals(0, WORK.number("select count(*) from ledger where job = ?", id), "ledger"));
    }

    @Test
    @DisplayName("Attempts are spaced by a delay that doubles, less up to a quarter of it by chance")
    void attemptsAreSpaced() throws Exception {
        // notes the delay between two moments: the start of the statement that set it, and now
        WORK.execute(
                "create table delay (id bigint, attempt int, longest interval, shortest interval, until timestamptz)");
        WORK.execute("create function note_delay() returns trigger language plpgsql as $$ begin"
                + " insert into public.delay values (new.id, new.attempt, new.run_at - statement_timestamp(),"
                + " new.run_at - clock_timestamp(), new.run_at); return null; end $$");
        WORK.execute("create trigger note_delay after insert on sluice.scheduled_1"
                + " for each row execute function note_delay()");
        try {
            List<Long> ids = enqueue(20, "work", "runtime");

            awaitEnd(ids);

            assertAll(
                    () -> assertEquals(20, delays(ids, 1), "first delays"),
                    () -> assertEquals(20, delays(ids, 2), "second delays"),
                    () -> assertEquals(0, outside(ids, 1, "150 ms", "200 ms"), "first delays off 200 ms"),
                    () -> assertEquals(0, outside(ids, 2, "300 ms", "400 ms"), "second delays off 400 ms"),
                    () -> assertTrue(
                            WORK.number(
                                            "select count(distinct until) from delay where attempt = 1 and id = any(?)",
                                            ids)
                                    > 1,
                            "all at the same time"),
                    () -> assertEquals(
                            20,
                            WORK.number(
                                    "select count(*) from sluice.dead_letter d where id = any(?) and died_at >"
                                            + " (select max(until) from delay where delay.id = d.id)",
                                    ids),
                            "attempts that waited"));
        } finally {
            WORK.execute("drop trigger note_delay on sluice.scheduled_1");
            WORK.execute("drop function note_delay");
            WORK.execute("drop table delay");
        }
    }

    private static long delays(List<Long> ids, int attempt) throws SQLException {
        return WORK.number("select count(*) from delay where id = any(?) and attempt = ?", ids, attempt);
    }

    /** The delays that are certainly shorter or certainly longer. */
    private static long outside(List<Long> ids, int attempt, String least, String most) throws SQLException {
        return WORK.number(
                "select count(*) from delay where id = any(?) and attempt = ?"
                        + " and (longest < ?::interval or shortest > ?::interval)",
                ids,
                attempt,
                least,
                most);
    }

    @Test
    @DisplayName("Good jobs flow on while failed ones before them wait for their next attempt")
    void goodJobsFlowOn() throws Exception {
        WORK.execute("update sluice.queue set backoff = '1 h' where name in ('work', 'broken')");
        List<Long> failing = new ArrayList<>();
        List<Long> good;
        try {
            for (String kind : new String[] {"runtime", "checked", "error", "rollbackOnly", "swallow"}) {
                failing.addAll(enqueue(4, "work", kind));
            }
            failing.addAll(enqueue(4, "broken", "nothing"));
            good = enqueue(200, "work", "enter");

            awaitEnd(good);

            assertEquals(200, WORK.number("select count(*) from ledger where job = any(?)", good));
            WORK.await("24", "select count(*) from sluice.scheduled where attempt = 1 and id = any(?)", failing);
        } finally {
            WORK.execute("update sluice.queue set backoff = '200 ms' where name in ('work', 'broken')");
            WORK.execute("update sluice.scheduled_1 set run_at = clock_timestamp() where id = any(?)", failing);
        }
        awaitEnd(failing);
        assertAll(
                () -> assertEquals(
                        24,
                        WORK.number(
                                "select count(*) from sluice.dead_letter where attempt = 3 and id = any(?)", failing)),
                () -> assertEquals(0, WORK.number("select count(*) from ledger where job = any(?)", failing)));
    }

    @Test
    @DisplayName("Without a container transaction a job is acknowledged after its handler, and failures are counted")
    void withoutTransaction() throws Exception {
        List<Long> good = enqueue(20, "loose", "notes");
        long bad = Inside.jobs().enqueue("loose", "fails", null);

        awaitEnd(good);
        awaitEnd(bad);

        assertAll(
                () -> assertEquals(20, WORK.number("select count(*) from note where job = any(?)", good)),
                () -> assertEquals(0, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", good)),
                () -> assertEquals(2, WORK.number("select count(*) from note where job = ?", bad)),
                () -> assertEquals(
                        "java.lang.IllegalStateException: without a transaction at attempt 2",
                        WORK.query("select error from sluice.dead_letter where attempt = 2 and id = ?", bad)));
    }
}
