package dev.sluice.bench.measure;

import static dev.sluice.bench.TestPostgres.execute;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.bench.TestPostgres;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The bytes that PostgreSQL wrote to its log")
class WalBytesTest {

    private static final int ROWS = 20_000;

    private Connection connection;
    private WalMeasure wal;

    @BeforeEach
    void connect() throws Exception {
        TestPostgres.SERVER.createDatabase("walbytes");
        connection = TestPostgres.SERVER.connect("walbytes");
        execute(connection, "create extension if not exists pg_walinspect");
        execute(connection, "drop schema if exists bench cascade; create schema bench; drop table if exists written");
        execute(connection, "create table bench.written (text text) with (autovacuum_enabled = off)");
        execute(connection, "create table written (text text) with (autovacuum_enabled = off)");
        wal = new WalMeasure(connection);
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
    }

    private long bytesOf(String sql) throws Exception {
        // so that the first change of each page would log all of it
        execute(connection, "checkpoint");
        WalPosition from = wal.position();
        execute(connection, sql);
        execute(connection, "select pg_switch_wal()");
        return new WalBytes(connection).between(from, wal.position());
    }

    @Test
    @DisplayName("are those of rows, without images of pages")
    void counts() throws Exception {
        execute(connection, "insert into written select repeat('x', 1000) from generate_series(1, 100)");
        long bytes = bytesOf("update written set text = repeat('y', 100) where ctid in (select ctid from written)");
        assertTrue(bytes > 100 * 100 && bytes < 100 * 1000, "bytes " + bytes);
    }

    @Test
    @DisplayName("leave out the bench's own rows")
    void leavesOut() throws Exception {
        String rows = " select repeat('x', 100) from generate_series(1, " + ROWS + ")";
        long both = bytesOf("insert into written" + rows + "; insert into bench.written" + rows);
        long ours = bytesOf("insert into bench.written" + rows);
        assertEquals(1, both / (ROWS * (100.0 + 60)), 0.3, "bytes " + both);
        assertTrue(ours < ROWS, "bytes " + ours);
    }

    @Test
    @DisplayName("leave out the bench's own rows where pages are logged with them, too")
    void leavesOutImages() throws Exception {
        execute(connection, "insert into bench.written select repeat('x', 1000) from generate_series(1, 700)");
        long ours = bytesOf("delete from bench.written");
        assertTrue(ours > 0 && ours < 5_000, "bytes " + ours);
    }
}
