package dev.sluice.it.container;

import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.container.app.Notes;
import jakarta.transaction.UserTransaction;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

@ExtendWith(ArquillianExtension.class)
@DisplayName("Through sluice/ds, of JDBC 4.3")
class JdbcIT {

    private UserTransaction transaction;
    private Connection connection;

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(JdbcIT.class);
    }

    @BeforeEach
    void begin() throws Exception {
        Inside.awaitQueues();
        transaction = Inside.transaction();
        transaction.begin();
        connection = Inside.dataSource().getConnection();
    }

    @AfterEach
    void end() throws Exception {
        connection.close();
        if (transaction.getStatus() != jakarta.transaction.Status.STATUS_NO_TRANSACTION) {
            transaction.rollback();
        }
    }

    @Test
    @DisplayName("savepoints, named and not, undo a part of the transaction")
    void savepoints() throws Exception {
        Notes.write(connection, 0, 0, "kept by savepoint");
        Savepoint first = connection.setSavepoint();
        Notes.write(connection, 0, 0, "undone by savepoint");
        connection.rollback(first);
        Savepoint second = connection.setSavepoint("second");
        Notes.write(connection, 0, 0, "released by savepoint");
        connection.releaseSavepoint(second);
        try (Statement statement = connection.createStatement()) {
            // an error undone, in the way of all who must go on after one
            Savepoint third = connection.setSavepoint();
            assertThrows(SQLException.class, () -> statement.execute("select 1 / 0"));
            connection.rollback(third);
            statement.execute("savepoint plain; rollback to savepoint plain");
        }
        transaction.commit();

        assertEquals(
                "kept by savepoint, released by savepoint",
                WORK.query("select string_agg(text, ', ' order by text) from note where text like '% by savepoint'"));
    }

    @Test
    @DisplayName("batches with generated keys give one key for each row")
    void batches() throws Exception {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into note (text) values (?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < 5; i++) {
                insert.setString(1, "batch of JDBC");
                insert.addBatch();
            }
            int[] counts = insert.executeBatch();
            assertEquals(5, counts.length);
            int keys = 0;
            try (ResultSet rows = insert.getGeneratedKeys()) {
                assertSame(insert, rows.getStatement());
                while (rows.next()) {
                    assertTrue(rows.getLong("id") > 0);
                    keys++;
                }
            }
            assertEquals(5, keys);
        }
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("insert into note (text) values ('batch of text')");
            statement.addBatch("update note set attempt = 1 where text like 'batch of %'");
            assertArrayEquals(new int[] {1, 6}, statement.executeBatch());
        }
    }

    @Test
    @DisplayName("procedures and functions are called, with what they give back and in cursors")
    void calls() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create function pg_temp.twice(n int) returns int language sql as 'select 2 * n'");
            statement.execute("create function pg_temp.cursor() returns refcursor language plpgsql as $$"
                    + " declare c refcursor; begin open c for select 7; return c; end $$");
        }
        try (CallableStatement call = connection.prepareCall("{? = call pg_temp.twice(?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.setInt(2, 21);
            call.execute();
            assertEquals(42, call.getInt(1));
            assertSame(connection, call.getConnection());
        }
        try (CallableStatement call = connection.prepareCall("{? = call pg_temp.cursor()}")) {
            call.registerOutParameter(1, Types.REF_CURSOR);
            call.execute();
            leadsNowhere((ResultSet) call.getObject(1));
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select pg_temp.cursor()")) {
            rows.next();
            leadsNowhere((ResultSet) rows.getObject(1));
        }
    }

    /** What it is of is the handle, whichever way it was made. */
    private void leadsNowhere(ResultSet rows) throws SQLException {
        try (rows) {
            assertTrue(rows.next());
            assertSame(connection, rows.getStatement().getConnection());
        }
    }

    @Test
    @DisplayName("arrays, streams, large objects and XML go in and come out")
    void values() throws Exception {
        Array numbers = connection.createArrayOf("int", new Object[] {1, 2, 3});
        var xml = connection.createSQLXML();
        xml.setString("<a/>");
        try (PreparedStatement select = connection.prepareStatement(
                "select ?::int[], ?::bytea, ?::text, lo_get(?), ?::xml, lo_from_bytea(0, '\\x0708')")) {
            select.setArray(1, numbers);
            select.setBinaryStream(2, new ByteArrayInputStream(new byte[] {1, 2}));
            select.setCharacterStream(3, new StringReader("text"));
            select.setBlob(4, new ByteArrayInputStream(new byte[] {4, 5, 6}));
            select.setSQLXML(5, xml);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Array read = row.getArray(1);
                assertAll(
                        () -> assertArrayEquals(new Integer[] {1, 2, 3}, (Integer[]) read.getArray()),
                        () -> leadsNowhere(read.getResultSet()),
                        () -> assertArrayEquals(
                                new byte[] {1, 2}, row.getBinaryStream(2).readAllBytes()),
                        () -> assertEquals("text", row.getString(3)),
                        () -> assertArrayEquals(new byte[] {4, 5, 6}, row.getBytes(4)),
                        () -> assertEquals("<a/>", row.getSQLXML(5).getString()),
                        () -> assertArrayEquals(
                                new byte[] {7, 8}, row.getBlob(6).getBytes(1, 2)));
            }
            select.setObject(1, numbers);
            select.clearParameters();
        }
        for (Executable none : List.<Executable>of(
                () -> connection.createStruct("note", new Object[0]), connection::createBlob, connection::createClob)) {
            String refusal = assertThrows(SQLException.class, none).getMessage();
            assertTrue(refusal.contains("not yet implemented"), refusal);
        }
    }

    @Test
    @DisplayName("what describes the database or a statement leads to the handle, not to the driver's connection")
    void metadata() throws Exception {
        leadsNowhere(connection.getMetaData().getTables(null, null, "note", null));
        assertSame(connection, connection.getMetaData().getConnection());
        try (PreparedStatement select = connection.prepareStatement("select text from note where id = ?")) {
            assertEquals("text", select.getMetaData().getColumnName(1));
            assertEquals(1, select.getParameterMetaData().getParameterCount());
        }
    }

    @Test
    @DisplayName("rows that are read through a cursor, scrolled and updated are those of the transaction")
    void cursors() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create temporary table scrolled as select n, 0 as m from generate_series(1, 100) n");
            statement.execute("alter table scrolled add primary key (n)");
        }
        try (Statement statement =
                connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            ResultSet rows = statement.executeQuery("select n, m from scrolled order by n");
            assertTrue(rows.absolute(50));
            rows.updateInt("m", 1);
            rows.updateRow();
            assertTrue(rows.last());
            assertEquals(100, rows.getInt(1));
        }
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(10);
            int sum = 0;
            try (ResultSet rows = statement.executeQuery("select m from scrolled")) {
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
            }
            assertEquals(1, sum);
        }
    }

    @Test
    @DisplayName("the boundaries of a request and a reset to what is the case are taken without effect")
    void withoutEffect() throws Exception {
        connection.beginRequest();
        connection.setReadOnly(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setHoldability(connection.getHoldability());
        connection.setCatalog("work");
        connection.setAutoCommit(false);
        connection.clearWarnings();
        connection.endRequest();
        assertAll(
                () -> assertEquals("work", connection.getCatalog()),
                () -> assertEquals("public", connection.getSchema()),
                () -> assertFalse(connection.isReadOnly()),
                () -> assertEquals(0, connection.getNetworkTimeout()),
                () -> assertTrue(connection.isValid(5)));
    }

    private record Refused(String what, Executable call, String remedy) {}

    @Test
    @DisplayName("what cannot be had is refused with what to do instead, and the transaction goes on")
    void refused() throws Exception {
        Class<?> copyApi = Class.forName("org.postgresql.PGConnection");
        List<Refused> calls = List.of(
                new Refused("setReadOnly(true)", () -> connection.setReadOnly(true), "set transaction read only"),
                new Refused(
                        "setTransactionIsolation",
                        () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                        "set transaction isolation level"),
                new Refused("setSchema", () -> connection.setSchema("other"), "set local search_path"),
                new Refused(
                        "setHoldability",
                        () -> connection.setHoldability(3 - connection.getHoldability()),
                        "createStatement"),
                new Refused(
                        "setNetworkTimeout", () -> connection.setNetworkTimeout(Runnable::run, 1), "setQueryTimeout"),
                new Refused("setTypeMap", () -> connection.setTypeMap(Map.of()), "ResultSet.getObject"),
                new Refused("setClientInfo", () -> connection.setClientInfo("ApplicationName", "x"), "comment"),
                new Refused("setClientInfo", () -> connection.setClientInfo(new Properties()), "comment"),
                new Refused("abort", () -> connection.abort(Runnable::run), "Statement.cancel"),
                new Refused("a sharding key", () -> connection.setShardingKey(null), "getConnection()"),
                new Refused("a sharding key", () -> connection.setShardingKeyIfValid(null, 1), "getConnection()"),
                new Refused("a sharding key", () -> Inside.dataSource().createConnectionBuilder(), "getConnection()"),
                new Refused("getConnection", () -> Inside.dataSource().getConnection("a", "b"), "getConnection()"),
                new Refused("unwrap", () -> connection.unwrap(copyApi), "a data source of your own"),
                new Refused(
                        "unwrap",
                        () -> connection.createStatement().unwrap(Class.forName("org.postgresql.PGStatement")),
                        "java.sql"));
        assertAll(calls.stream().map(refused -> () -> {
            SQLException error = assertThrows(SQLException.class, refused.call(), refused.what());
            assertEquals("0A000", error.getSQLState(), refused.what());
            assertTrue(error.getMessage().startsWith(refused.what()), error.getMessage());
            assertTrue(error.getMessage().contains(refused.remedy()), error.getMessage());
        }));
        Notes.write(connection, 0, 0, "after all that was refused");
        transaction.commit();
        assertEquals(1, WORK.number("select count(*) from note where text = 'after all that was refused'"));
    }

    @Test
    @DisplayName("a statement that would end the transaction is refused, prepared or not, and the transaction goes on")
    void endingStatement() throws Exception {
        Notes.write(connection, 0, 0, "goes on after endings");
        for (String sql :
                new String[] {"commit", "/* why */ ROLLBACK", "select 1; end", "abort", "prepare transaction 'x'"}) {
            try (Statement statement = connection.createStatement();
                    PreparedStatement prepared = connection.prepareStatement(sql)) {
                for (Executable call : List.<Executable>of(
                        () -> statement.execute(sql),
                        () -> statement.executeUpdate(sql),
                        () -> statement.addBatch(sql),
                        prepared::execute,
                        prepared::addBatch)) {
                    SQLException error = assertThrows(SQLException.class, call, sql);
                    assertEquals("25000", error.getSQLState());
                    assertTrue(error.getMessage().contains("setRollbackOnly"), error.getMessage());
                }
            }
        }
        assertEquals(0, WORK.number("select count(*) from note where text = 'goes on after endings'"));
        transaction.commit();
        assertEquals(1, WORK.number("select count(*) from note where text = 'goes on after endings'"));
    }
}
