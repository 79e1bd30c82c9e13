package dev.sluice.engine;

import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Schema;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.UUID;

/**
 * The adapters of this JVM that use the same schema of the same database: one of them is too many, and most likely a server
 * has been given both shapes, or an adapter in each of two applications.
 *
 * <p>Each adapter has a class loader of its own, so they know of each other by what the JVM shares: a system property for
 * each, {@code dev.sluice.adapter.} and a number, from when it is connected until it stops. Its value is the identity of
 * the schema and where the adapter's code is from. Each writes its own before it reads the others, so that of two that
 * start at the same time at least one sees the other.
 */
final class Neighbours {

    private static final Logger LOG = System.getLogger(Neighbours.class.getName());

    private static final String PREFIX = "dev.sluice.adapter.";

    /** However a server is reached, and whatever it is called, this is the same (PostgreSQL 18, section 9.28.12). */
    private static final String IDENTITY = """
            /* sluice:identity */
            select system_identifier || '.' || pg_database.oid || '.' || pg_namespace.oid
            from pg_control_system(), pg_database, pg_namespace
            where datname = current_database() and nspname = ?""";

    private final String origin;
    private final String property = PREFIX + UUID.randomUUID();
    private volatile String identity;
    private volatile String schema;

    /** @param origin where this adapter's code is from, for a person; null if it has no part in this */
    Neighbours(String origin) {
        this.origin = origin;
    }

    /** This adapter uses this schema from now on. Warns of the others that do. */
    void enter(Connection connection, Schema used) throws SQLException {
        if (origin == null) {
            return;
        }
        schema = used.name();
        try {
            identity = identity(connection, used);
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                throw e;
            }
            // the right to call that function may have been taken from everybody; jobs are delivered all the same
            LOG.log(Level.INFO, "Other adapters of this server are not looked for: {0}", Remedy.explain(e));
            return;
        }
        System.setProperty(property, identity + " " + origin);
        String problem = problem();
        if (problem != null) {
            LOG.log(Level.WARNING, problem);
        }
    }

    private static String identity(Connection connection, Schema used) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(IDENTITY)) {
            select.setString(1, used.name());
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    /** What is wrong and what to do, for a person; null if this adapter is alone with its schema. */
    String problem() {
        String mine = identity;
        if (mine == null) {
            return null;
        }
        List<String> others = others(mine);
        return others.isEmpty()
                ? null
                : "Two adapters of this server use the schema " + schema + " of the same database: " + origin + " and "
                        + String.join(" and ", others)
                        + ". Each is a node with handlers and connections of its own, and"
                        + " serves only its own applications. Let one adapter in server.xml serve all applications, or"
                        + " give each a schema of its own (property schema)";
    }

    private List<String> others(String mine) {
        Properties properties = System.getProperties();
        return properties.stringPropertyNames().stream()
                .filter(name -> name.startsWith(PREFIX) && !name.equals(property))
                .map(name -> properties.getProperty(name, ""))
                .filter(value -> value.startsWith(mine + " "))
                .map(value -> value.substring(mine.length() + 1))
                .sorted()
                .toList();
    }

    /** This adapter uses no schema any more. */
    void leave() {
        identity = null;
        System.clearProperty(property);
    }
}
