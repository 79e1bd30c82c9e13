package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Counts statements and the buffers they touched, with the extension pg_stat_statements.
 *
 * @see <a href="https://www.postgresql.org/docs/18/pgstatstatements.html">pg_stat_statements</a>
 */
public final class StatementMeasure {

    /**
     * Counts since the extension was created.
     *
     * @param calls   of statements
     * @param buffers that they hit or read
     */
    public record Count(long calls, long buffers) {

        /** What came since an earlier count. */
        public Count since(Count earlier) {
            return new Count(calls - earlier.calls, buffers - earlier.buffers);
        }
    }

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** Functions are counted as the statement that calls them, their statements being within it. */
    private static final String COUNT = """
            /* bench:statements */
            select coalesce(sum(calls), 0)::bigint, coalesce(sum(shared_blks_hit + shared_blks_read), 0)::bigint
            from pg_stat_statements
            where dbid = (select oid from pg_database where datname = current_database()) and toplevel and query ~* ?""";

    private final Connection connection;

    /** @param connection in autocommit; its own statements are counted by nobody from now on */
    public StatementMeasure(Connection connection) throws SQLException {
        this.connection = connection;
        leaveOut(connection);
    }

    /** Keeps the statements of a connection out of these counts, if its role may do that. */
    static void leaveOut(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("/* bench:leave out */ set pg_stat_statements.track = 'none'");
        } catch (SQLException e) {
            if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** Counts all statements of this database. */
    public Count all() throws SQLException {
        return matching("");
    }

    /**
     * Counts those of this database whose text, which may be without comments, has a match.
     *
     * @param regex of PostgreSQL, in any case
     */
    public Count matching(String regex) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(COUNT)) {
            query.setString(1, regex);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new Count(row.getLong(1), row.getLong(2));
            }
        }
    }
}
