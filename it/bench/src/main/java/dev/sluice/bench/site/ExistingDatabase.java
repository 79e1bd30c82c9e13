package dev.sluice.bench.site;

import dev.sluice.bench.option.JdbcUrl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Somebody's PostgreSQL. The bench makes databases of its own there, which bear a comment that says so; one of that name
 * without the comment is left alone.
 */
final class ExistingDatabase implements Database {

    private static final String MARK = "Made by the Sluice bench, which drops it";

    private static final String MADE_BY = """
            /* bench:made by */
            select shobj_description(oid, 'pg_database') from pg_database where datname = ?""";

    private final JdbcUrl url;

    private ExistingDatabase(JdbcUrl url) {
        this.url = url;
    }

    static ExistingDatabase open(JdbcUrl url) throws SiteException {
        ExistingDatabase database = new ExistingDatabase(url);
        try (Connection connection = database.connectToGiven()) {
            // both, before anything is dropped
            requireOurs(connection, QUEUE);
            requireOurs(connection, APART);
            for (String name : new String[] {QUEUE, APART}) {
                execute(connection, "drop database if exists " + name);
                execute(connection, "create database " + name);
                execute(connection, "comment on database " + name + " is '" + MARK + "'");
            }
            return database;
        } catch (SQLException e) {
            throw new SiteException(
                    "The databases " + QUEUE + " and " + APART + " cannot be made on " + url + ": " + e.getMessage()
                            + ". The role needs createdb, and no other run may be under way there.",
                    e);
        }
    }

    private static void requireOurs(Connection connection, String name) throws SQLException, SiteException {
        try (PreparedStatement query = connection.prepareStatement(MADE_BY)) {
            query.setString(1, name);
            try (ResultSet row = query.executeQuery()) {
                if (row.next() && !MARK.equals(row.getString(1))) {
                    throw new SiteException("There is a database " + name
                            + " that the bench has not made, so it stays away from it. Rename or drop it, or use another "
                            + "server.");
                }
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connectToGiven() throws SQLException {
        return Login.connect(url.of(url.database()), user(), password(), "sluice-bench", "");
    }

    @Override
    public String url(String name) {
        return url.of(name);
    }

    @Override
    public String user() {
        return url.user();
    }

    @Override
    public String password() {
        return url.password();
    }

    @Override
    public void close() throws SQLException {
        try (Connection connection = connectToGiven()) {
            // with the sessions that a killed server has left
            execute(connection, "drop database if exists " + QUEUE + " with (force)");
            execute(connection, "drop database if exists " + APART + " with (force)");
        }
    }
}
