package dev.sluice.it.container.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Writes what a handler saw into the table {@code note}. */
public final class Notes {

    private Notes() {}

    static void write(DataSource dataSource, long job, int attempt, String text) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            write(connection, job, attempt, text);
        }
    }

    static void write(Connection connection, long job, int attempt, String text) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("insert into note (job, attempt, text) values (?, ?, ?)")) {
            insert.setLong(1, job);
            insert.setInt(2, attempt);
            insert.setString(3, text);
            insert.executeUpdate();
        }
    }

    /** The process of the server that works for this connection. */
    static String backend(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getString(1);
        }
    }
}
