package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.notes;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.it.app.Gate;
import dev.sluice.it.container.app.Notes;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.transaction.RollbackException;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("The pool of sluice/ds")
class ConnectionPoolIT {

    /** Users at the same time. */
    private static final int USERS = 8;

    /** Fewer than the threads that a small server has for them from the start. */
    private static final int HANDLERS = 4;

    private static final String OWN =
            "select count(*) from pg_stat_activity where application_name = 'sluice application'";

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(ConnectionPoolIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("One user after the other works on the same physical connection")
    void reuse() throws Exception {
        onThread(() -> backend(Inside.dataSource()));
        long before = WORK.number(OWN);

        for (int i = 0; i < 20; i++) {
            onThread(() -> backend(Inside.dataSource()));
        }

        assertEquals(before, WORK.number(OWN));
    }

    @Test
    @DisplayName("There are as many physical connections as users at the same time, however many handlers run")
    void bounded() throws Exception {
        togetherOn(Inside.dataSource());
        long before = WORK.number(OWN);

        List<Long> ids;
        try (Connection gate = Inside.<DataSource>lookup("jdbc/witness").getConnection();
                Statement statement = gate.createStatement()) {
            statement.execute("select pg_advisory_lock(" + Gate.KEY + ")");
            try {
                // not in this request, which would be one user more until it ends
                ids = onThread(() -> Inside.enqueue(HANDLERS, "work", "gated"));
                WORK.await(
                        String.valueOf(HANDLERS),
                        "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = "
                                + Gate.KEY);
                togetherOn(Inside.dataSource());
                assertEquals(before, WORK.number(OWN));
            } finally {
                statement.execute("select pg_advisory_unlock(" + Gate.KEY + ")");
            }
        }
        Inside.awaitEnd(ids);
        togetherOn(Inside.dataSource());
        assertEquals(before, WORK.number(OWN));
    }

    /** As many users as that, all at the same time, on threads that handlers do not wait on. */
    private static void togetherOn(DataSource dataSource) throws Exception {
        ManagedThreadFactory threads = Inside.lookup("java:comp/DefaultManagedThreadFactory");
        CyclicBarrier allAtOnce = new CyclicBarrier(USERS);
        List<FutureTask<Void>> users = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            FutureTask<Void> user = new FutureTask<>(() -> {
                try (Connection connection = dataSource.getConnection()) {
                    Notes.backend(connection);
                    allAtOnce.await(30, TimeUnit.SECONDS);
                }
                return null;
            });
            threads.newThread(user).start();
            users.add(user);
        }
        for (FutureTask<Void> user : users) {
            user.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    @DisplayName("What the pool drops because it idled is closed in PostgreSQL")
    void reaped() throws Exception {
        DataSource dataSource = Inside.lookup("test/reaped");
        String backend = onThread(() -> backend(dataSource));

        WORK.await("0", "select count(*) from pg_stat_activity where pid = ?::int", backend);
    }

    @Test
    @DisplayName("A connection that was ended while it idled is replaced before its next user sees it")
    void endedWhileIdle() throws Exception {
        endedWhileIdle(false);
    }

    @Test
    @DisplayName("A connection that was ended while it idled is replaced before the next transaction begins on it")
    void endedBeforeTransaction() throws Exception {
        endedWhileIdle(true);
    }

    private static void endedWhileIdle(boolean inTransaction) throws Exception {
        String ended = onThread(() -> backend(Inside.dataSource()));
        endAllWhenIdle();

        String next = onThread(() -> {
            UserTransaction transaction = Inside.transaction();
            if (inTransaction) {
                transaction.begin();
            }
            String backend = backend(Inside.dataSource());
            if (inTransaction) {
                transaction.commit();
            }
            return backend;
        });

        assertNotEquals(ended, next);
    }

    @Test
    @DisplayName("All users find a new connection when all that idled were ended")
    void allEndedWhileIdle() throws Exception {
        togetherOn(Inside.dataSource());
        endAllWhenIdle();

        togetherOn(Inside.dataSource());
    }

    @Test
    @DisplayName("Also the connection of one handle that idled is replaced, as long as nothing is open on it")
    void endedWhileHeld() throws Exception {
        try (Connection connection = Inside.dataSource().getConnection()) {
            String ended = Notes.backend(connection);
            endAllWhenIdle();

            assertNotEquals(ended, Notes.backend(connection));
        }
    }

    @Test
    @DisplayName("A connection that breaks in use gives its user the error, and the next user another connection")
    void brokenInUse() throws Exception {
        String ended = onThread(() -> {
            try (Connection connection = Inside.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                String backend = Notes.backend(connection);
                SQLException error = assertThrows(
                        SQLException.class, () -> statement.execute("select pg_terminate_backend(pg_backend_pid())"));
                assertEquals("57P01", error.getSQLState(), error.toString());
                return backend;
            }
        });

        for (int i = 0; i < USERS; i++) {
            assertNotEquals(ended, onThread(() -> backend(Inside.dataSource())));
        }
    }

    @Test
    @DisplayName("After its connection broke the same request finds another")
    void brokenInRequest() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (Connection connection = Inside.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                assertThrows(
                        SQLException.class, () -> statement.execute("select pg_terminate_backend(pg_backend_pid())"));
            }
            try (Connection connection = Inside.dataSource().getConnection()) {
                Notes.write(connection, 0, 0, "after it broke");
            }
        }
        assertEquals(3, notes("after it broke"));
    }

    @Test
    @DisplayName("A transaction of the container in which the connection broke rolls back, however its user goes on")
    void brokenInTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        try (Connection connection = Inside.dataSource().getConnection()) {
            Notes.write(connection, 0, 0, "before the end");
            endAllWhenIdle();
            assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, "after the end"));
        }
        try (Connection connection = Inside.dataSource().getConnection()) {
            assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, "after the end"));
        } catch (SQLException e) {
            // there may be none to be had
        }
        assertThrows(RollbackException.class, transaction::commit);
        assertEquals(0, WORK.number("select count(*) from note where text in ('before the end', 'after the end')"));

        transaction.begin();
        Notes.write(Inside.dataSource(), 0, 0, "in the next");
        transaction.commit();
        assertEquals(1, notes("in the next"));
    }

    @Test
    @DisplayName("A transaction of the application in which the connection broke is lost, however its user goes on")
    void brokenInLocalTransaction() throws Exception {
        onThread(() -> {
            try (Connection connection = Inside.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                Notes.write(connection, 0, 0, "before the end");
                endAllWhenIdle();
                assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, "after the end"));
                assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, "after the end"));
                assertThrows(SQLException.class, connection::commit);
            }
            return null;
        });

        onThread(() -> {
            Notes.write(Inside.dataSource(), 0, 0, "in the next, local");
            return null;
        });
        assertEquals(0, WORK.number("select count(*) from note where text in ('before the end', 'after the end')"));
        assertEquals(1, notes("in the next, local"));
    }

    @Test
    @DisplayName("A handler whose connection breaks fails with the real error, and its next attempt has another")
    void brokenInHandler() throws Exception {
        long id = Inside.jobs().enqueue("connection", "cutOff", null);

        Inside.awaitEnd(id);

        assertAll(
                () -> assertEquals(
                        "2", WORK.query("select string_agg(attempt::text, ' ') from note where job = ?", id)),
                () -> assertEquals(0, WORK.number("select count(*) from sluice.dead_letter where id = ?", id)));
    }

    @Test
    @DisplayName("What a user does to the session is not there for the next one")
    void sessionIsReset() throws Exception {
        for (String change : new String[] {
            "set role pg_monitor",
            "set session authorization pg_monitor",
            "set search_path to pg_catalog",
            "set default_transaction_read_only to on",
            "set session characteristics as transaction isolation level serializable",
            "select set_config('statement_timeout', '7s', false)",
            "do $$ begin set time zone 'Asia/Tokyo'; end $$",
            "listen elsewhere",
            "select pg_advisory_lock(4712)",
            "create temporary table left_behind (n int)"
        }) {
            String before = onThread(ConnectionPoolIT::session);
            onThread(() -> {
                try (Connection connection = Inside.dataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute(change);
                    assertNotEquals(before, Notes.session(connection), change + " changes nothing");
                }
                return null;
            });
            assertEquals(before, onThread(ConnectionPoolIT::session), change);
        }
    }

    @Test
    @DisplayName("A transaction that a user began by a statement of his own is not there for the next one")
    void begunByStatement() throws Exception {
        for (String begin : new String[] {"begin", "start transaction"}) {
            onThread(() -> {
                try (Connection connection = Inside.dataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute(begin);
                    Notes.write(connection, 0, 0, "begun by statement");
                }
                return null;
            });
            onThread(() -> {
                try (Connection connection = Inside.dataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("commit");
                }
                return null;
            });
        }
        assertEquals(0, notes("begun by statement"));
    }

    private static String session() throws SQLException {
        try (Connection connection = Inside.dataSource().getConnection()) {
            return Notes.session(connection);
        }
    }

    private static String backend(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Notes.backend(connection);
        }
    }

    /** As an administrator, or a restart of PostgreSQL, when they have idled for longer than is trusted. */
    private static void endAllWhenIdle() throws Exception {
        WORK.await(
                "true",
                "select min(clock_timestamp() - state_change) > interval '1500 ms' from pg_stat_activity"
                        + " where application_name = 'sluice application'");
        WORK.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice application'");
        WORK.await("0", OWN);
    }

    private static ManagedExecutorService executor() {
        return Inside.lookup("java:comp/DefaultManagedExecutorService");
    }

    /** As a request of its own. */
    private static <T> T onThread(Callable<T> work) throws Exception {
        return executor().submit(work).get(60, TimeUnit.SECONDS);
    }
}
