package dev.sluice.bench;

import dev.sluice.launcher.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One PostgreSQL for all tests of this JVM, with which it ends. */
public final class TestPostgres {

    public static final String PASSWORD = "of tests";

    /** Nobody pulls its plug, so it need not wait for the disk. */
    public static final PostgresServer SERVER = PostgresServer.builder()
            .password(PASSWORD)
            .setting("fsync", "off")
            .setting("shared_preload_libraries", "pg_stat_statements")
            .setting("max_prepared_transactions", "10")
            .start();

    private TestPostgres() {}

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row; null without one. */
    public static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }
}
