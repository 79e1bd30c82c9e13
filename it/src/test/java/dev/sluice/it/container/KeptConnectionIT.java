package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Inside.notes;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.container.app.Keeper;
import dev.sluice.it.container.app.Notes;
import jakarta.ejb.EJBException;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("A connection of sluice/ds that is kept, or taken elsewhere")
class KeptConnectionIT {

    private static final String CLOSED = "This connection of sluice/ds is closed. Get one where it is used";
    private static final String ANOTHER =
            "This connection of sluice/ds was got in another transaction. Get one where it is used";

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(KeptConnectionIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("What is left open is closed with the connection")
    void closedWithIt() throws Exception {
        Statement statement;
        PreparedStatement prepared;
        ResultSet rows;
        ResultSet tables;
        Statement ofTables;
        try (Connection connection = Inside.dataSource().getConnection()) {
            statement = connection.createStatement();
            prepared = connection.prepareStatement("select 1");
            rows = prepared.executeQuery();
            tables = connection.getMetaData().getTables(null, null, "note", null);
            ofTables = tables.getStatement();
        }
        assertAll(
                () -> assertTrue(statement.isClosed(), "statement"),
                () -> assertTrue(prepared.isClosed(), "prepared statement"),
                () -> assertTrue(rows.isClosed(), "result set"),
                () -> assertTrue(tables.isClosed(), "result set of metadata"),
                () -> assertTrue(ofTables.isClosed(), "statement of metadata"));
    }

    @Test
    @DisplayName(
            "What a handler left open and kept is closed when its transaction ends, and does not disturb the next job")
    void keptByHandler() throws Exception {
        for (int i = 0; i < 3; i++) {
            long keeps = Inside.jobs().enqueue("connection", "keeps", null);
            awaitEnd(keeps);
            long tries = Inside.jobs().enqueue("connection", "triesKept", null);
            awaitEnd(tries);

            assertEquals(1, WORK.number("select count(*) from note where job = ?", keeps));
            String notes = WORK.query("select string_agg(text, ' / ') from note where job = ?", tries);
            assertEquals(
                    CLOSED + "; " + CLOSED + "; " + CLOSED + "; This ResultSet is closed.; closed in time",
                    notes == null ? null : notes.replaceFirst("on \\d+: ", ""));
            assertEquals(
                    "1",
                    WORK.query("select string_agg(attempt::text, ' ') from note where job = ?", tries),
                    "attempts");
        }
    }

    @Test
    @DisplayName("Another thread is refused the connection of a job, and the job goes on")
    void lentToThread() throws Exception {
        long id = Inside.jobs().enqueue("connection", "lends", null);

        awaitEnd(id);

        assertEquals(
                "lends, refusal: " + ANOTHER,
                WORK.query("select string_agg(text, ', ' order by id) from note where job = ?", id));
    }

    @Test
    @DisplayName("A thread that a handler starts has connections and transactions of its own")
    void threadOfHandler() throws Exception {
        long id = Inside.jobs().enqueue("connection", "forks", null);

        awaitEnd(id);

        assertEquals(
                "1 thread, 1 thread committed, 2 own, 2 thread, 2 thread committed",
                WORK.query(
                        "select string_agg(attempt || ' ' || text, ', ' order by attempt, text) from note where job = ?",
                        id));
    }

    @Test
    @DisplayName(
            "A method with a transaction of its own is refused the connection of its caller's, and the job goes on")
    void handedOn() throws Exception {
        long id = Inside.jobs().enqueue("connection", "handsOn", null);

        awaitEnd(id);

        assertEquals(
                "handsOn, refusal: " + ANOTHER,
                WORK.query("select string_agg(text, ', ' order by id) from note where job = ?", id));
    }

    @Test
    @DisplayName("One that was got before a transaction works in it or is refused, but never beside it")
    void beforeTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        for (boolean used : new boolean[] {false, true}) {
            try (Connection connection = Inside.dataSource().getConnection()) {
                if (used) {
                    Notes.write(connection, 0, 0, "used before");
                }
                transaction.begin();
                try {
                    Notes.write(connection, 0, 0, "rolled back with it");
                } catch (SQLException e) {
                    assertEquals(CLOSED, e.getMessage());
                }
                transaction.rollback();
            }
        }
        assertAll(() -> assertEquals(1, notes("used before")), () -> assertEquals(0, notes("rolled back with it")));
    }

    @Test
    @DisplayName("One that was got in a transaction is refused after it, whether it was used in it or not")
    void afterTransaction() throws Exception {
        UserTransaction transaction = Inside.transaction();
        for (boolean used : new boolean[] {false, true}) {
            transaction.begin();
            Connection connection = Inside.dataSource().getConnection();
            if (used) {
                Notes.write(connection, 0, 0, "used");
            }
            transaction.commit();
            refused(connection, "after its transaction");

            transaction.begin();
            refused(connection, "after its transaction");
            transaction.commit();
            connection.close();
        }
        assertEquals(0, notes("after its transaction"));
    }

    private static void refused(Connection connection, String text) {
        String refusal = assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, text))
                .getMessage();
        assertTrue(refusal.equals(CLOSED) || refusal.equals(ANOTHER), refusal);
    }

    @Test
    @DisplayName("A transaction of the application must end before one of the container begins")
    void localTransactionOpen() throws Exception {
        UserTransaction transaction = Inside.transaction();
        try (Connection connection = Inside.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Notes.write(connection, 0, 0, "local");
            try {
                transaction.begin();
                assertThrows(SQLException.class, () -> Notes.write(connection, 0, 0, "global"));
                transaction.rollback();
            } catch (jakarta.transaction.NotSupportedException | IllegalStateException e) {
                // the container sees it as well
            }
        }
        assertAll(() -> assertEquals(0, notes("local")), () -> assertEquals(0, notes("global")));
    }

    private interface Write {
        void text(String text) throws SQLException;
    }

    @Test
    @DisplayName("One that a singleton keeps in a field works once, or never, and then says what to do")
    void keptByBean() throws Exception {
        Keeper keeper = Inside.lookup("java:app/more-handlers/Keeper!dev.sluice.it.container.app.Keeper");
        int written = 0;
        for (Write write :
                List.<Write>of(keeper::writeOnFirst, keeper::writeOnKept, keeper::writeOnKept, keeper::writeOnFirst)) {
            String text = "kept by a bean, " + written;
            try {
                write.text(text);
                assertEquals(1, notes(text), "it rides the transaction of this call");
                written++;
            } catch (SQLException | EJBException e) {
                assertTrue(e.getMessage().contains("Get one where it is used"), e.toString());
                assertEquals(0, notes(text), e.toString());
            }
        }
        assertEquals(1, written, "the call that got one");
    }

    @Test
    @DisplayName("A closed one refuses everything but a second close, and says so")
    void closed() throws Exception {
        Connection connection = Inside.dataSource().getConnection();
        connection.close();
        connection.close();
        assertAll(
                () -> assertTrue(connection.isClosed()),
                () -> assertFalse(connection.isValid(1)),
                () -> assertEquals(CLOSED, refusal(connection)));
    }

    private static String refusal(Connection connection) {
        return assertThrows(SQLException.class, connection::createStatement).getMessage();
    }
}
