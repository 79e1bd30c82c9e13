package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.enqueue;
import static dev.sluice.it.container.Inside.prepares;
import static dev.sluice.it.container.Witness.OTHER;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.app.Ledger;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("The data source sluice/ds beside one of another database")
class TwoDatabasesIT {

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(TwoDatabasesIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("With a second XA data source a handler commits in two phases, and both databases agree")
    void twoPhase() throws Exception {
        long prepares = prepares();

        List<Long> ids = enqueue(100, "both", "enter");
        awaitEnd(ids);
        awaitNothingPrepared();

        assertAll(
                () -> assertEquals(100, rows(WORK, ids)),
                () -> assertEquals(100, rows(OTHER, ids)),
                () -> assertEquals(100, OTHER.number("select count(distinct job) from ledger where job = any(?)", ids)),
                () -> assertTrue(prepares() - prepares >= 200, prepares() - prepares + " PREPARE statements"));
    }

    @Test
    @DisplayName("With a second XA data source a failed attempt leaves nothing in either database")
    void twoPhaseFailure() throws Exception {
        List<Long> ids = enqueue(20, "transaction", "both");
        awaitEnd(ids);
        awaitNothingPrepared();

        assertAll(
                () -> assertEquals(20, rows(WORK, ids)),
                () -> assertEquals(20, rows(OTHER, ids)),
                () -> assertEquals(
                        0, WORK.number("select count(*) from ledger where attempt <> 2 and job = any(?)", ids)),
                () -> assertEquals(
                        0, OTHER.number("select count(*) from ledger where attempt <> 2 and job = any(?)", ids)));
    }

    @Test
    @DisplayName("In a user transaction with another resource both commit or both roll back")
    void userTransactionOfTwo() throws Exception {
        UserTransaction transaction = Inside.transaction();
        long prepares = prepares();

        transaction.begin();
        enterBoth(-1);
        transaction.commit();
        assertAll(
                () -> assertEquals(1, rows(WORK, List.of(-1L))),
                () -> assertEquals(1, rows(OTHER, List.of(-1L))),
                () -> assertEquals(2, prepares() - prepares, "PREPARE statements"));

        transaction.begin();
        enterBoth(-2);
        transaction.rollback();
        assertAll(() -> assertEquals(0, rows(WORK, List.of(-2L))), () -> assertEquals(0, rows(OTHER, List.of(-2L))));
        awaitNothingPrepared();
    }

    private static void enterBoth(long job) throws SQLException {
        Ledger.enter(Inside.dataSource(), job, 0);
        Ledger.enter(Inside.other(), job, 0);
    }

    private static long rows(Witness database, List<Long> ids) throws SQLException {
        return database.number("select count(*) from ledger where job = any(?)", ids);
    }

    /** When a job is gone, the other branch of its transaction may still wait for its COMMIT PREPARED. */
    private static void awaitNothingPrepared() throws Exception {
        WORK.await("0", "select count(*) from pg_prepared_xacts");
    }
}
