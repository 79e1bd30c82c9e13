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

@DisplayName("Statements")
class StatementMeasureTest {

    private Connection connection;
    private Connection worker;
    private StatementMeasure statements;

    @BeforeEach
    void connect() throws Exception {
        TestPostgres.SERVER.createDatabase("statements");
        connection = TestPostgres.SERVER.connect("statements");
        worker = TestPostgres.SERVER.connect("statements");
        execute(worker, "create extension if not exists pg_stat_statements");
        execute(worker, "drop table if exists read");
        execute(worker, "create table read as select generate_series(1, 10000) as number");
        statements = new StatementMeasure(connection);
    }

    @AfterEach
    void disconnect() throws Exception {
        worker.close();
        connection.close();
    }

    @Test
    @DisplayName("are counted with the buffers they touched, by their text without comments")
    void counts() throws Exception {
        StatementMeasure.Count before = statements.matching("sum\\(number\\) from read");
        execute(worker, "/* one */ select sum(number) from read");
        execute(worker, "/* two */ select sum(number) from read");
        execute(worker, "select 1");
        StatementMeasure.Count count =
                statements.matching("sum\\(number\\) from read").since(before);
        assertEquals(2, count.calls());
        assertTrue(count.buffers() >= 2 * 40 && count.buffers() < 2 * 80, count.toString());
    }

    @Test
    @DisplayName("of the bench itself do not count")
    void leavesOut() throws Exception {
        StatementMeasure.Count before = statements.all();
        execute(connection, "select 1");
        statements.all();
        assertEquals(0, statements.all().since(before).calls());
    }
}
