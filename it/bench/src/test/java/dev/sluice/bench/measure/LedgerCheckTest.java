package dev.sluice.bench.measure;

import static dev.sluice.bench.TestPostgres.execute;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.bench.TestPostgres;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A ledger")
class LedgerCheckTest {

    private Connection connection;

    @BeforeEach
    void connect() throws Exception {
        TestPostgres.SERVER.createDatabase("ledger");
        connection = TestPostgres.SERVER.connect("ledger");
        execute(connection, "drop schema if exists bench cascade");
        execute(connection, "create schema bench");
        execute(connection, "create table bench.ledger (number bigint not null, queue text not null)");
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
    }

    private LedgerCheck.Finding check(long enqueued) throws Exception {
        return new LedgerCheck(connection).of("shared", enqueued);
    }

    @Test
    @DisplayName("that has each job once is right, whatever other queues wrote")
    void right() throws Exception {
        execute(connection, "insert into bench.ledger select n, 'shared' from generate_series(1, 5) n");
        execute(connection, "insert into bench.ledger values (1, 'jpa'), (6, 'jpa')");
        assertEquals(new LedgerCheck.Finding(0, 0, 0), check(5));
    }

    @Test
    @DisplayName("shows jobs that are missing, there twice or thrice, or that nobody enqueued")
    void wrong() throws Exception {
        execute(connection, """
                insert into bench.ledger select n, 'shared'
                from unnest('{1, 3, 3, 5, 5, 5, 0, 7, 7}'::bigint[]) n""");
        // 2, 4 and 6; 3 and 5; rows of 0 and 7
        assertEquals(new LedgerCheck.Finding(3, 2, 3), check(6));
    }

    @Test
    @DisplayName("that is empty has lost everything")
    void empty() throws Exception {
        assertEquals(new LedgerCheck.Finding(4, 0, 0), check(4));
        assertEquals(new LedgerCheck.Finding(0, 0, 0), check(0));
    }
}
