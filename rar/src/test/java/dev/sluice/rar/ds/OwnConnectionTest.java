package dev.sluice.rar.ds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.xa.Branch;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What no container lets a test see: the others are in the container package of it. */
@DisplayName("The physical connection of a managed connection")
class OwnConnectionTest {

    private static final Object TRANSACTION = "a transaction";

    private static PostgresServer postgres;
    private static Database database;

    private final Outages outages = new Outages();
    private final List<SQLException> broken = new ArrayList<>();
    private long idled;
    private final OwnConnection own =
            new OwnConnection(database, outages, broken::add, () -> System.nanoTime() + idled);

    @BeforeAll
    static void start() {
        postgres = PostgresServer.builder().setting("fsync", "off").start();
        database = new Database(Settings.of(
                Map.of(
                        Setting.URL,
                        postgres.jdbcUrl("postgres"),
                        Setting.USER,
                        PostgresServer.USER,
                        Setting.PASSWORD,
                        "trusted"),
                Map.of()));
    }

    @AfterAll
    static void stop() {
        postgres.close();
    }

    @AfterEach
    void discard() {
        own.completed(Branch.Outcome.ROLLED_BACK, true);
        own.discard();
    }

    @Test
    @DisplayName("is another after PostgreSQL was restarted")
    void restart() throws Exception {
        Connection before = own.use(false);
        execute(before, "select 1");
        postgres.restart(StopMode.FAST);
        idle();

        Connection after = own.use(false);

        execute(after, "select 1");
        assertTrue(before.isClosed());
        assertTrue(broken.isEmpty(), "its user notices nothing");
    }

    @Test
    @DisplayName("stays the same while something is open on it")
    void held() throws Exception {
        Connection before = own.use(false);
        end(before);
        idle();

        assertSame(before, own.use(true));
    }

    @Test
    @DisplayName("is not asked whether it answers when others have broken since")
    void others() throws Exception {
        Connection before = own.use(false);
        outages.happened();

        assertTrue(before != own.use(false));
        assertTrue(before.isClosed());
    }

    @Test
    @DisplayName("that broke in a transaction lets that only roll back, and is another after it")
    void lost() throws Exception {
        Connection before = own.use(TRANSACTION, false);
        end(before);
        own.broke();

        assertSame(before, own.use(TRANSACTION, false), "nothing is begun anew");
        assertNotNull(own.open(), "there was work");
        assertThrows(Branch.RefusedException.class, own::beforeCompletion);
        own.completed(Branch.Outcome.ROLLED_BACK, true);
        assertEquals(1, broken.size(), "it leaves the pool");
        Connection after = own.use("the next transaction", false);
        assertTrue(before != after);
        execute(after, "select 1");
        own.beforeCompletion();
    }

    @Test
    @DisplayName("that the container destroys in a transaction does not look as if nothing had been done")
    void destroyed() throws Exception {
        execute(own.use(TRANSACTION, false), "select 1");
        own.discard();

        assertNotNull(own.open());
        assertThrows(Branch.RefusedException.class, own::beforeCompletion);
    }

    @Test
    @DisplayName("in a transaction of the application takes part in none of the container")
    void local() throws Exception {
        own.use(false);
        own.autoCommit(false);
        SQLException refused = assertThrows(SQLException.class, () -> own.use(TRANSACTION, false));
        assertEquals("25000", refused.getSQLState());
        assertNull(own.transaction());

        own.rollBack();
        assertFalse(own.inLocalTransaction());
        own.use(TRANSACTION, false);
        assertSame(TRANSACTION, own.transaction());
    }

    /** Idles for longer than is trusted. */
    private void idle() {
        idled += Duration.ofSeconds(2).toNanos();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** As an administrator. */
    private static void end(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()");
                Connection administrator = postgres.connect("postgres")) {
            row.next();
            execute(administrator, "select pg_terminate_backend(" + row.getInt(1) + ", 10000)");
        }
    }
}
