package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * This start of the server among the nodes: its heartbeat, and the rescue of what nodes left that are gone. All times
 * are the database's. Belongs to one connection and one thread.
 */
public final class NodeRow {

    private static final String REGISTER = """
            /* sluice:register */
            insert into {schema}.node (name, timeout) values (?, ?::float8 * interval '1 s') returning id
            """;

    private static final String BEAT = """
            /* sluice:heartbeat */
            update {schema}.node set seen_at = clock_timestamp() where id = ?
            """;

    private static final String RESCUE = """
            /* sluice:rescue */
            select {schema}.rescue(?, ?)
            """;

    private static final String LEAVE = """
            /* sluice:leave */
            delete from {schema}.node where id = ?
            """;

    private static final double MILLIS = 1_000;

    private final Connection connection;
    private final Schema schema;
    private final long id;

    private NodeRow(Connection connection, Schema schema, long id) {
        this.connection = connection;
        this.schema = schema;
        this.id = id;
    }

    /**
     * A new node.
     *
     * @param name    for people
     * @param timeout after how long a silence it is dead
     */
    public static NodeRow register(Connection connection, Schema schema, String name, Duration timeout)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(schema.sql(REGISTER))) {
            insert.setString(1, name);
            insert.setDouble(2, timeout.toMillis() / MILLIS);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return new NodeRow(connection, schema, row.getLong(1));
            }
        }
    }

    /** The same node on another connection. */
    public NodeRow on(Connection other) {
        return new NodeRow(other, schema, id);
    }

    public long id() {
        return id;
    }

    /** Says that this node lives; false if it was taken for dead and its row is gone. */
    public boolean beat() throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(schema.sql(BEAT))) {
            update.setLong(1, id);
            return update.executeUpdate() == 1;
        }
    }

    /**
     * Frees the jobs of dead nodes, and those leased to this node that it does not know of.
     *
     * @param known leases that this node works on
     * @return how many jobs were freed
     */
    public long rescue(Long[] known) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(RESCUE))) {
            call.setLong(1, id);
            call.setArray(2, connection.createArrayOf("bigint", known));
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Signs off, so that what is left of this node is rescued at once. */
    public void leave() throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.sql(LEAVE))) {
            delete.setLong(1, id);
            delete.executeUpdate();
        }
    }
}
