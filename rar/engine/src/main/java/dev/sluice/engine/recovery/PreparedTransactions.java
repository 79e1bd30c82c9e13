package dev.sluice.engine.recovery;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The prepared transactions of one database (PostgreSQL: PREPARE TRANSACTION, pg_prepared_xacts). */
public final class PreparedTransactions {

    /** There is none of this name; it has ended, or never was. */
    public static final String UNKNOWN_NAME = "42704";

    /** Another session ends it just now. */
    static final String BUSY = "55000";

    /** Only its owner and superusers may end one. */
    static final String NOT_ALLOWED = "42501";

    /** PostgreSQL 15 has no right of its own to become a role. */
    private static final String MAY_BECOME_OWNER = """
            database = current_database() and pg_has_role(current_user, owner,
              case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
            """;

    /** Only of this database, since others can be ended only there, and only what this role may end. */
    private static final String NAMES = """
            /* sluice:recover */
            select gid from pg_prepared_xacts where %s
            """.formatted(MAY_BECOME_OWNER);

    private static final String OWNER = """
            /* sluice:prepared_owner */
            select owner from pg_prepared_xacts where gid = ? and owner <> current_user and %s
            """.formatted(MAY_BECOME_OWNER);

    private static final String IS_PREPARED = """
            /* sluice:is_prepared */
            select from pg_prepared_xacts where gid = ? and database = current_database()
            """;

    private PreparedTransactions() {}

    /**
     * Ends a transaction, as its owner where this role is only a member of it.
     *
     * @param connection in autocommit, and of nobody else for the time of the call
     * @param gid        the name
     * @throws SQLException {@link #UNKNOWN_NAME}, {@link #NOT_ALLOWED}, {@link #BUSY}
     */
    public static void end(Connection connection, String gid, Verdict verdict) throws SQLException {
        try {
            execute(connection, statement(gid, verdict));
        } catch (SQLException e) {
            String owner = NOT_ALLOWED.equals(e.getSQLState()) ? owner(connection, gid) : null;
            if (owner == null) {
                throw e;
            }
            endAs(owner, connection, statement(gid, verdict));
        }
    }

    private static String statement(String gid, Verdict verdict) {
        return verdict.text() + " prepared '" + gid.replace("'", "''") + "'";
    }

    private static void endAs(String owner, Connection connection, String statement) throws SQLException {
        execute(connection, "set role \"" + owner.replace("\"", "\"\"") + "\"");
        try {
            execute(connection, statement);
        } finally {
            execute(connection, "reset role");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The role that must be become to end it; null if there is none. */
    private static String owner(Connection connection, String gid) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OWNER)) {
            query.setString(1, gid);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /** The names of those that this role may end, whoever gave them. */
    public static List<String> names(Connection connection) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(NAMES);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        }
        return names;
    }

    /** Whether there is one of this name in this database, whoever may end it. */
    public static boolean contains(Connection connection, String gid) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(IS_PREPARED)) {
            query.setString(1, gid);
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }
}
