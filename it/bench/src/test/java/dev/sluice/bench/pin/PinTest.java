package dev.sluice.bench.pin;

import static dev.sluice.bench.TestPostgres.execute;
import static dev.sluice.bench.TestPostgres.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.bench.TestSite;
import dev.sluice.bench.site.Database;
import dev.sluice.bench.site.Site;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A pin")
class PinTest {

    private Site site;
    private Database database;
    private Connection connection;

    @BeforeEach
    void layOut() throws Exception {
        site = TestSite.open();
        database = site.database();
        Book.create(database);
        connection = database.connect(Database.QUEUE);
        execute(connection, "create schema tested; create table tested.job_1 (number int)");
        execute(connection, "insert into tested.job_1 select generate_series(1, 100)");
    }

    @AfterEach
    void drop() throws Exception {
        connection.close();
        site.close();
    }

    private Pin hold(PinKind kind) throws Exception {
        return kind.hold(database, "tested", session -> execute(session, "insert into tested.job_1 values (0)"));
    }

    private boolean vacuumRemoves() throws Exception {
        execute(connection, "vacuum tested.job_1");
        return query(connection, "select n_dead_tup from pg_stat_user_tables where relname = 'job_1'")
                .equals("0");
    }

    @ParameterizedTest
    @DisplayName("keeps vacuum from removing rows, and is seen to do so")
    @EnumSource
    void holds(PinKind kind) throws Exception {
        try (Pin pin = hold(kind)) {
            assertTrue(pin.active());
            execute(connection, "delete from tested.job_1 where number > 0");
            assertFalse(vacuumRemoves());
            assertTrue(pin.active());
        }
        assertTrue(vacuumRemoves());
    }

    @ParameterizedTest
    @DisplayName("that somebody ends is not active any more")
    @EnumSource(names = {"SNAPSHOT", "XID", "READER"})
    void ends(PinKind kind) throws Exception {
        try (Pin pin = hold(kind)) {
            execute(
                    connection,
                    "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
                            + "where application_name = 'sluice-bench pin'");
            assertFalse(pin.active());
        }
    }

    @Test
    @DisplayName("that is prepared commits its job at the end")
    void commitsItsJob() throws Exception {
        hold(PinKind.PREPARED).close();
        assertEquals("1", query(connection, "select count(*) from tested.job_1 where number = 0"));
    }
}
