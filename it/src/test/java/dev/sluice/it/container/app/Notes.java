package dev.sluice.it.container.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Writes what a handler saw into the table {@code note}. */
public final class Notes {

    private Notes() {}

    public static void write(DataSource dataSource, long job, int attempt, String text) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            write(connection, job, attempt, text);
        }
    }

    public static void write(Connection connection, long job, int attempt, String text) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into note (job, attempt, text) values (?, ?, ?)")) {
            insert.setLong(1, job);
            insert.setInt(2, attempt);
            insert.setString(3, text);
            insert.executeUpdate();
        }
    }

    /** The process of the server that works for this connection. */
    public static String backend(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }

    /** What the session of this connection is like, where a user may have changed it. */
    public static String session(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "select concat_ws(' ', session_user, current_user, current_setting('search_path'),"
                                + " current_setting('default_transaction_isolation'),"
                                + " current_setting('default_transaction_read_only'),"
                                + " current_setting('statement_timeout'), current_setting('TimeZone'),"
                                + " (select count(*) from pg_listening_channels()),"
                                + " (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),"
                                + " to_regclass('pg_temp.left_behind'))")) {
            row.next();
            return row.getString(1);
        }
    }
}
