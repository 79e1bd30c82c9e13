package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.enqueue;
import static dev.sluice.it.container.Inside.notes;
import static dev.sluice.it.container.Inside.prepares;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

@ExtendWith(ArquillianExtension.class)
@DisplayName("The data source sluice/ds")
class DataSourceIT {

    private static final int JOBS = 300;

    /** Commits that are not the jobs': the heartbeat, and what PostgreSQL does in the background. */
    private static final int SLACK = 30;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(DataSourceIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("A handler's work through JDBC costs one commit a job and no PREPARE")
    void oneCommitThroughJdbc() throws Exception {
        costsOneCommit("enter");
    }

    @Test
    @DisplayName("A handler's work through Jakarta Persistence costs one commit a job and no PREPARE")
    void oneCommitThroughPersistence() throws Exception {
        costsOneCommit("persist");
    }

    private static void costsOneCommit(String kind) throws Exception {
        // entity classes, connections and plans are there already
        awaitEnd(enqueue(20, "work", kind));
        String begin = WORK.query("select pg_current_wal_flush_lsn()");
        long prepares = prepares();
        long claims = Inside.operations().status().claims();

        List<Long> ids = enqueue(JOBS, "work", kind);
        awaitEnd(ids);

        claims = Inside.operations().status().claims() - claims;
        if (Inside.transactional()) {
            // they are part of the handlers' transactions
            claims = 0;
        }
        long commits = walRecords("Transaction/COMMIT", begin);
        long limit = JOBS + claims + SLACK;
        String counted = commits + " commits of " + JOBS + " jobs in " + claims + " claims";
        assertAll(
                () -> assertEquals(JOBS, WORK.number("select count(*) from ledger where job = any(?)", ids)),
                () -> assertTrue(commits >= JOBS, counted),
                () -> assertTrue(commits <= limit, counted),
                () -> assertEquals(0, walRecords("Transaction/PREPARE", begin), "prepared"),
                () -> assertEquals(prepares, prepares(), "PREPARE TRANSACTION statements"));
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

    @Test
    @DisplayName("In a user transaction its work is there after commit, not before, and gone after rollback")
    void userTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();

        transaction.begin();
        note(Inside.dataSource(), "user commit");
        assertEquals(0, notes("user commit"));
        transaction.commit();
        assertEquals(1, notes("user commit"));

        transaction.begin();
        note(Inside.dataSource(), "user rollback");
        transaction.rollback();
        assertEquals(0, notes("user rollback"));
    }

    @Test
    @DisplayName("Connections of one user transaction work in the same database transaction")
    void sameTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        try (Connection one = Inside.dataSource().getConnection();
                Connection two = Inside.dataSource().getConnection()) {
            note(one, "seen by the other");
            try (var statement = two.createStatement();
                    var row = statement.executeQuery("select count(*) from note where text = 'seen by the other'")) {
                row.next();
                assertEquals(1, row.getInt(1));
            }
        } finally {
            transaction.rollback();
        }
        assertEquals(0, notes("seen by the other"));
    }

    @Test
    @DisplayName("A statement that failed in a user transaction lets it only roll back, swallowed or not")
    void swallowedInUserTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        note(Inside.dataSource(), "before the failure");
        try (Connection connection = Inside.dataSource().getConnection();
                var statement = connection.createStatement()) {
            assertThrows(SQLException.class, () -> statement.execute("select 1 / 0"));
        }
        assertThrows(jakarta.transaction.RollbackException.class, transaction::commit);
        assertEquals(0, notes("before the failure"));
    }

    @Test
    @DisplayName("Without a transaction each statement commits by itself")
    void autoCommit() throws Exception {
        try (Connection connection = Inside.dataSource().getConnection()) {
            assertTrue(connection.getAutoCommit());
            note(connection, "at once");
            assertEquals(1, notes("at once"));
        }
    }

    @Test
    @DisplayName("Without a transaction the application may begin, commit and roll back its own")
    void localTransaction() throws Exception {
        try (Connection connection = Inside.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertFalse(connection.getAutoCommit());

            note(connection, "local commit");
            assertEquals(0, notes("local commit"));
            connection.commit();
            assertEquals(1, notes("local commit"));

            note(connection, "local rollback");
            connection.rollback();
            assertEquals(0, notes("local rollback"));

            note(connection, "last");
            connection.setAutoCommit(true);
            assertEquals(1, notes("last"), "JDBC commits when auto-commit is switched on");
        }
    }

    @Test
    @DisplayName("A connection that is closed with work uncommitted leaves none of it, and none to the next user")
    void closedUncommitted() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (Connection connection = Inside.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                note(connection, "never committed");
            }
            try (Connection connection = Inside.dataSource().getConnection()) {
                assertTrue(connection.getAutoCommit());
                note(connection, "next user");
            }
        }
        assertAll(() -> assertEquals(0, notes("never committed")), () -> assertEquals(5, notes("next user")));
    }

    @Test
    @DisplayName("In a transaction it refuses what would end the transaction, says why, and the transaction goes on")
    void refusedInTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        try (Connection connection = Inside.dataSource().getConnection()) {
            assertFalse(connection.getAutoCommit());
            note(connection, "goes on");
            String endsIt = " is refused in a container transaction: the container ends it. Throw an exception, or call"
                    + " setRollbackOnly, to roll back";
            assertAll(
                    () -> assertEquals("commit()" + endsIt, refusal(connection::commit)),
                    () -> assertEquals("rollback()" + endsIt, refusal(connection::rollback)),
                    () -> assertEquals("setAutoCommit(true)" + endsIt, refusal(() -> connection.setAutoCommit(true))),
                    () -> assertTrue(
                            refusal(() -> connection.abort(Runnable::run)).contains("Statement.cancel")),
                    () -> assertTrue(refusal(() -> connection.setReadOnly(true)).contains("setReadOnly(true)")),
                    () -> assertTrue(
                            refusal(() -> connection.setSchema("other")).contains("set local search_path")),
                    () -> assertTrue(
                            refusal(() -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                                    .contains("READ COMMITTED")));
            connection.setAutoCommit(false);
            transaction.commit();
        }
        assertEquals(1, notes("goes on"));
    }

    @Test
    @DisplayName("It gives out neither the driver's connection nor, through what it made, another")
    void unwraps() throws Exception {
        try (Connection connection = Inside.dataSource().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select 1")) {
            assertAll(
                    () -> assertSame(connection, connection.unwrap(Connection.class)),
                    () -> assertSame(connection, statement.getConnection()),
                    () -> assertSame(connection, connection.getMetaData().getConnection()),
                    () -> assertSame(statement, row.getStatement()),
                    () -> {
                        Class<?> driver = Class.forName("org.postgresql.PGConnection");
                        assertFalse(connection.isWrapperFor(driver));
                        assertEquals(
                                "unwrap to org.postgresql.PGConnection is refused: what the driver gives could end the"
                                        + " transaction unseen. Use what java.sql has; for COPY, LISTEN and the driver's"
                                        + " own interfaces use a data source of your own",
                                refusal(() -> connection.unwrap(driver)));
                    });
        }
    }

    @Test
    @DisplayName("A handler that commits by itself is refused, and the dead letter says so")
    void refusedInDelivery() throws Exception {
        long id = Inside.jobs().enqueue("transaction", "commits", null);
        awaitEnd(id);

        String error = WORK.query("select error from sluice.dead_letter where id = ?", id);
        assertAll(
                () -> assertTrue(error != null && error.contains("commit() is refused in the transaction of"), error),
                () -> assertTrue(error != null && error.contains("setRollbackOnly"), error),
                () -> assertEquals(0, WORK.number("select count(*) from note where job = ?", id)));
    }

    @Test
    @DisplayName("A constraint that fails at commit rolls back, and the dead letter names it")
    void deferredConstraint() throws Exception {
        WORK.execute("create table promise (job bigint primary key,"
                + " kept bigint constraint kept_promise references promise deferrable initially deferred)");
        try {
            long id = Inside.jobs().enqueue("transaction", "promises", null);
            awaitEnd(id);

            String error = WORK.query("select error from sluice.dead_letter where attempt = 2 and id = ?", id);
            assertAll(
                    () -> assertTrue(error != null && error.contains("kept_promise"), error),
                    () -> assertEquals(0, WORK.number("select count(*) from promise")));
        } finally {
            WORK.execute("drop table promise");
        }
    }

    @Test
    @DisplayName("A REQUIRES_NEW method that a handler calls has a connection and a commit of its own")
    void requiresNew() throws Exception {
        long id = Inside.jobs().enqueue("transaction", "apart", null);
        awaitEnd(id);

        assertAll(
                () -> assertEquals(
                        "1,2",
                        WORK.query(
                                "select string_agg(attempt::text, ',' order by attempt) from note"
                                        + " where text like 'apart %' and job = ?",
                                id)),
                () -> assertEquals(
                        "2,2",
                        WORK.query(
                                "select string_agg(attempt::text, ',' order by attempt) from note"
                                        + " where text like 'own %' and job = ?",
                                id)),
                () -> assertEquals(
                        1,
                        WORK.number(
                                "select count(distinct split_part(text, ' ', -1)) from note"
                                        + " where text like 'own %' and job = ?",
                                id),
                        "connections of the job"),
                () -> assertEquals(
                        0,
                        WORK.number(
                                "select count(*) from note a join note o using (job, attempt) where job = ?"
                                        + " and a.text like 'apart %' and o.text like 'own %'"
                                        + " and split_part(a.text, ' ', -1) = split_part(o.text, ' ', -1)",
                                id),
                        "connections in common"));
    }

    @Test
    @DisplayName("A connection kept from @PostConstruct is refused, with the reason and what to do")
    void keptHandle() throws Exception {
        List<Long> ids = enqueue(20, "kept", "notes");
        awaitEnd(ids);

        assertAll(
                () -> assertEquals(0, WORK.number("select count(*) from note where job = any(?)", ids)),
                () -> assertEquals(
                        20,
                        WORK.number(
                                "select count(*) from sluice.dead_letter where attempt = 2 and id = any(?) and error ="
                                        + " 'java.sql.SQLException: This connection of sluice/ds is closed."
                                        + " Get one where it is used'",
                                ids)));
    }

    @Test
    @DisplayName("What a handler sets on its session is not there for the next one")
    void sessionIsReset() throws Exception {
        for (int i = 0; i < 3; i++) {
            awaitEnd(enqueue(20, "transaction", "marks"));
            List<Long> next = enqueue(20, "work", "enter");
            awaitEnd(next);

            assertEquals(
                    null,
                    WORK.query(
                            "select string_agg(distinct error, '; ') from sluice.dead_letter where id = any(?)", next));
            assertEquals(20, WORK.number("select count(*) from ledger where job = any(?)", next));
        }
    }

    private static String refusal(Executable call) {
        return assertThrows(SQLException.class, call).getMessage();
    }

    private static void note(DataSource dataSource, String text) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            note(connection, text);
        }
    }

    private static void note(Connection connection, String text) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into note (text) values (?)")) {
            insert.setString(1, text);
            insert.executeUpdate();
        }
    }
}
