package dev.sluice.bench.measure;

import static dev.sluice.bench.TestPostgres.execute;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.bench.TestPostgres;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What PostgreSQL wrote to its log")
class WalMeasureTest {

    private Connection connection;
    private Connection worker;
    private WalMeasure wal;

    @BeforeEach
    void connect() throws Exception {
        TestPostgres.SERVER.createDatabase("wal");
        connection = TestPostgres.SERVER.connect("wal");
        worker = TestPostgres.SERVER.connect("wal");
        execute(connection, "create extension if not exists pg_walinspect");
        execute(worker, "drop table if exists written");
        execute(worker, "create table written (number int)");
        // it commits when it pleases
        execute(worker, "alter table written set (autovacuum_enabled = off)");
        wal = new WalMeasure(connection);
    }

    @AfterEach
    void disconnect() throws Exception {
        worker.close();
        connection.close();
    }

    @Test
    @DisplayName("is counted by the transactions that ended between two positions, and no others")
    void counts() throws Exception {
        execute(worker, "insert into written values (0)");

        WalPosition from = wal.position();
        for (int number = 1; number <= 3; number++) {
            execute(worker, "insert into written values (" + number + ")");
        }
        execute(worker, "select count(*) from written");
        worker.setAutoCommit(false);
        execute(worker, "insert into written values (4)");
        worker.rollback();
        execute(worker, "insert into written values (5)");
        execute(worker, "prepare transaction 'one'");
        worker.commit();
        worker.setAutoCommit(true);
        execute(worker, "commit prepared 'one'");
        WalPosition to = wal.position();

        execute(worker, "insert into written values (6)");

        assertEquals(new WalRecords(3, 1, 1), wal.between(from, to));
    }

    @Test
    @DisplayName("is nothing between a position and itself")
    void nothing() throws Exception {
        WalPosition here = wal.position();
        assertEquals(WalRecords.NONE, wal.between(here, here));
    }

    @Test
    @DisplayName("is waited for where it is not flushed yet")
    void waits() throws Exception {
        execute(worker, "set synchronous_commit = off");
        WalPosition from = wal.position();
        execute(worker, "insert into written values (1)");
        assertEquals(new WalRecords(1, 0, 0), wal.between(from, wal.position()));
    }
}
