package dev.sluice.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A PostgreSQL server")
class PostgresServerTest {

    private static PostgresServer server;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.builder().start();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @BeforeEach
    void requireRunning() {
        server.start();
    }

    @Test
    @DisplayName("is version 18 with its defaults: UTF8, locale C, pg_stat_statements, durable")
    void defaults() throws SQLException {
        assertEquals("18", text(server, "select current_setting('server_version_num')::int / 10000"));
        assertEquals("UTF8", text(server, "show server_encoding"));
        assertEquals("C", text(server, "select datcollate from pg_database where datname = 'postgres'"));
        assertEquals("pg_stat_statements", text(server, "show shared_preload_libraries"));
        assertEquals("on", text(server, "show fsync"));
        assertEquals("127.0.0.1", text(server, "show listen_addresses"));
    }

    @Test
    @DisplayName("is of another version when it is given the jar of that")
    void otherVersion() throws SQLException {
        try (PostgresServer other = PostgresServer.builder()
                .binaries(Path.of("target/postgresql-15.jar"))
                .start()) {
            assertEquals("15", text(other, "select current_setting('server_version_num')::int / 10000"));
            assertEquals("18", text(server, "select current_setting('server_version_num')::int / 10000"));
        }
    }

    @Test
    @DisplayName("cannot come from a jar that is missing, and says which")
    void noBinaries() {
        var builder = PostgresServer.builder().binaries(Path.of("target/missing.jar"));
        UncheckedIOException failure = assertThrows(UncheckedIOException.class, builder::start);
        assertTrue(failure.getMessage().contains("target/missing.jar"), failure.getMessage());
    }

    @Test
    @DisplayName("has the extension pg_stat_statements")
    void statistics() throws SQLException {
        execute(server, "create extension if not exists pg_stat_statements");
        assertNotEquals("0", text(server, "select count(*) from pg_stat_statements"));
    }

    @ParameterizedTest
    @EnumSource(StopMode.class)
    @DisplayName("keeps its port and its committed data over a stop and a start")
    void keepsData(StopMode mode) throws SQLException {
        execute(server, "create table if not exists kept (mode text)");
        execute(server, "insert into kept values ('" + mode + "')");
        int port = server.port();

        server.stop(mode);
        assertFalse(server.isRunning());
        assertThrows(SQLException.class, () -> server.connect("postgres"));
        server.start();

        assertTrue(server.isRunning());
        assertEquals(port, server.port());
        assertEquals("1", text(server, "select count(*) from kept where mode = '" + mode + "'"));
    }

    @Test
    @DisplayName("keeps a prepared transaction over an immediate stop")
    void preparesTransactions() throws SQLException {
        execute(server, "create table prepared (id int)");
        try (var connection = server.connect("postgres");
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("insert into prepared values (1)");
            statement.execute("prepare transaction 'one'");
        }

        server.restart(StopMode.IMMEDIATE);

        assertEquals("0", text(server, "select count(*) from prepared"));
        execute(server, "commit prepared 'one'");
        assertEquals("1", text(server, "select count(*) from prepared"));
    }

    @Test
    @DisplayName("may be started, stopped and asked for the same database twice")
    void isIdempotent() throws SQLException {
        long pid = server.pid();
        server.start();
        assertEquals(pid, server.pid());
        server.createDatabase("twice \"quoted\"");
        server.createDatabase("twice \"quoted\"");
        server.stop(StopMode.FAST);
        server.stop(StopMode.IMMEDIATE);
        assertFalse(server.isRunning());
    }

    @Test
    @DisplayName("runs beside another one, which asks for passwords and is deleted when it is closed")
    void sideBySide() throws SQLException {
        PostgresServer other = PostgresServer.builder()
                .password("it's secret")
                .setting("application_name", "a\\b'c")
                .start();
        try (other) {
            assertNotEquals(server.port(), other.port());
            assertEquals("postgres", text(other, "select current_user"));
            assertEquals("a\\b'c", text(other, "select reset_val from pg_settings where name = 'application_name'"));
            SQLException wrong = assertThrows(
                    SQLException.class,
                    () -> DriverManager.getConnection(other.jdbcUrl("postgres"), PostgresServer.USER, "wrong"));
            assertEquals("28P01", wrong.getSQLState());
            assertTrue(server.isRunning());
        }
        assertFalse(other.isRunning());
        assertTrue(Files.notExists(other.dataDirectory().getParent()));
        other.close();
    }

    @Test
    @DisplayName("that cannot start says what its log says")
    void failureHasLog() {
        var builder = PostgresServer.builder().setting("no_such_parameter", "1");
        IllegalStateException failure = assertThrows(IllegalStateException.class, builder::start);
        assertTrue(
                failure.getMessage().contains("unrecognized configuration parameter \"no_such_parameter\""),
                failure.getMessage());
    }

    @Test
    @DisplayName("does not take another server on its port for itself")
    void portTaken() {
        var builder = PostgresServer.builder().port(server.port());
        IllegalStateException failure = assertThrows(IllegalStateException.class, builder::start);
        assertTrue(failure.getMessage().contains("Address already in use"), failure.getMessage());
    }

    private static void execute(PostgresServer server, String sql) throws SQLException {
        try (var connection = server.connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(PostgresServer server, String query) throws SQLException {
        try (var connection = server.connect("postgres");
                var statement = connection.createStatement();
                var result = statement.executeQuery(query)) {
            assertTrue(result.next());
            return result.getString(1);
        }
    }
}
