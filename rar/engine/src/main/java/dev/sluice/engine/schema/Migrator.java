package dev.sluice.engine.schema;

import dev.sluice.api.SluiceException;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Schema;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Brings the schema up to date, or says why it cannot. Several nodes may do it at once. Needs the right to create the
 * schema only where that does not exist.
 */
public final class Migrator {

    private static final Logger LOG = System.getLogger(Migrator.class.getName());
    private static final String LOCATION = "classpath:dev/sluice/engine/schema";

    private static final Duration TRY_AGAIN = Duration.ofMillis(100);

    private final Database database;
    private final Schema schema;

    public Migrator(Database database) {
        this.database = database;
        this.schema = database.schema();
    }

    /**
     * Applies what is missing.
     *
     * @return the version of the schema
     * @throws SQLException if the database refuses
     */
    public String migrate() throws SQLException {
        // One at a time by a lock of ours: Flyway's own leaves a gap while its table of migrations is being made.
        try (Connection session = database.open("migration");
                Statement statement = session.createStatement()) {
            statement.execute("set statement_timeout = 0; set idle_session_timeout = 0");
            awaitTurn(statement);
            createSchema(session);
            return migrateAlone();
        }
    }

    private String migrateAlone() {
        Flyway flyway = flyway();
        if (isNewer(flyway)) {
            // ours would put our older functions back; each change of theirs comes with a new version
            LOG.log(Level.INFO, "Schema {0} is of a newer version of Sluice and stays as it is", schema.name());
        } else {
            flyway.migrate();
        }
        return version(flyway);
    }

    /** The lock ends with the session. It is tried, not waited for: a statement that waits holds a snapshot. */
    private static void awaitTurn(Statement statement) throws SQLException {
        while (!first(statement, "select pg_try_advisory_lock(hashtext('sluice schema'))")) {
            LockSupport.parkNanos(TRY_AGAIN.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new SluiceException("Interrupted while another node migrates");
            }
        }
    }

    private static boolean first(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /**
     * Changes nothing.
     *
     * @return the version of the schema
     * @throws SluiceException if the schema is older than this program
     */
    public String check() {
        Flyway flyway = flyway();
        MigrationInfo[] pending = flyway.info().pending();
        if (pending.length > 0 && !isNewer(flyway)) {
            throw new SluiceException("Schema \"" + schema.name() + "\" lacks " + pending.length
                    + " migrations of this version of Sluice, the first is \"" + pending[0].getDescription()
                    + "\". Start one node with migrate=true and a role that owns the schema.");
        }
        return version(flyway);
    }

    private static boolean isNewer(Flyway flyway) {
        MigrationInfo current = flyway.info().current();
        return current != null && !current.getState().isResolved();
    }

    private static String version(Flyway flyway) {
        MigrationInfo current = flyway.info().current();
        return current == null ? "0" : String.valueOf(current.getVersion());
    }

    private void createSchema(Connection connection) throws SQLException {
        // CREATE SCHEMA IF NOT EXISTS needs the right to create even where it exists
        if (!exists(connection)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("create schema " + schema.quoted());
            }
        }
    }

    private boolean exists(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("select from pg_namespace where nspname = ?")) {
            query.setString(1, schema.name());
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private Flyway flyway() {
        FluentConfiguration configuration = Flyway.configure(Migrator.class.getClassLoader())
                .dataSource(database.dataSource("migration"))
                .loggers(FlywayLog.class.getName())
                // on Open Liberty the empty file flyway.location tells where this is
                .locations(LOCATION)
                .callbackLocations(LOCATION)
                .schemas(schema.name())
                .defaultSchema(schema.name())
                .createSchemas(false)
                .table("migration")
                // the schema may hold tables of others
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(Map.of("schema", schema.quoted(), "schemaLiteral", "'" + schema.name() + "'"))
                // whatever the role's defaults are; locks are waited for in short tries, nobody queues behind us
                .initSql(
                        "set statement_timeout = 0; set lock_timeout = '2s'; set idle_in_transaction_session_timeout = 0;"
                                + " set default_transaction_isolation = 'read committed'")
                .lockRetryCount(-1);
        return configuration.load();
    }
}
