package dev.sluice.bench.site;

import static dev.sluice.bench.TestPostgres.execute;
import static dev.sluice.bench.TestPostgres.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.bench.TestPostgres;
import dev.sluice.bench.option.JdbcUrl;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("On somebody's PostgreSQL the bench")
class ExistingDatabaseTest {

    private static final String SERVER = TestPostgres.SERVER.jdbcUrl("");
    private static final JdbcUrl URL = new JdbcUrl(SERVER, "postgres", "", "postgres", TestPostgres.PASSWORD);

    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = TestPostgres.SERVER.connect("postgres");
    }

    @AfterEach
    void dropDatabases() throws SQLException {
        execute(connection, "drop database if exists sluice_bench");
        execute(connection, "drop database if exists sluice_bench_apart");
        connection.close();
    }

    private String database(String name) throws SQLException {
        return query(connection, "select datname from pg_database where datname = '" + name + "'");
    }

    @Test
    @DisplayName("makes two databases, and drops them at the end")
    void makesAndDrops() throws Exception {
        try (Database database = ExistingDatabase.open(URL)) {
            for (String name : new String[] {Database.QUEUE, Database.APART}) {
                try (Connection ours = database.connect(name)) {
                    assertEquals(name, query(ours, "select current_database()"));
                }
            }
        }
        assertNull(database("sluice_bench"));
        assertNull(database("sluice_bench_apart"));
    }

    @Test
    @DisplayName("makes anew what a run has left behind")
    void replacesItsOwn() throws Exception {
        Database left = ExistingDatabase.open(URL);
        try (Connection queue = left.connect(Database.QUEUE)) {
            execute(queue, "create schema sluice");
        }
        Database anew = ExistingDatabase.open(URL);
        try (Connection queue = anew.connect(Database.QUEUE)) {
            assertNull(query(queue, "select nspname from pg_namespace where nspname = 'sluice'"));
        }
    }

    @Test
    @DisplayName("stays away from a database of that name that it has not made")
    void leavesOthersAlone() throws Exception {
        execute(connection, "create database sluice_bench_apart");

        SiteException refusal = assertThrows(SiteException.class, () -> ExistingDatabase.open(URL));

        assertTrue(refusal.getMessage().contains("sluice_bench_apart"), refusal.getMessage());
        assertEquals("sluice_bench_apart", database("sluice_bench_apart"));
        assertNull(database("sluice_bench"));
    }

    @Test
    @DisplayName("says what it needs where it may not make databases, and not the password")
    void saysWhatItNeeds() throws Exception {
        execute(connection, "create role bench_guest login password 'secret'");
        JdbcUrl guest = new JdbcUrl(SERVER, "postgres", "", "bench_guest", "secret");
        try {
            SiteException refusal = assertThrows(SiteException.class, () -> ExistingDatabase.open(guest));
            assertTrue(refusal.getMessage().contains("createdb"), refusal.getMessage());
            assertTrue(!refusal.getMessage().contains("secret"), refusal.getMessage());
        } finally {
            execute(connection, "drop role bench_guest");
        }
    }

    @Test
    @DisplayName("does not end the run of another that is under way")
    void leavesRunsAlone() throws Exception {
        Database other = ExistingDatabase.open(URL);
        try (Connection busy = other.connect(Database.QUEUE)) {
            SiteException refusal = assertThrows(SiteException.class, () -> ExistingDatabase.open(URL));
            assertTrue(refusal.getMessage().contains("no other run"), refusal.getMessage());
            assertEquals("1", query(busy, "select 1"));
        }
    }
}
