package dev.sluice.it.container;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Looks into a database from outside, whatever transaction the test is in: it sees what is committed. */
final class Witness {

    /** The database of Sluice. */
    static final Witness WORK = new Witness("jdbc/witness");

    /** The other one. */
    static final Witness OTHER = new Witness("jdbc/otherWitness");

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 20;

    private final String dataSource;

    private Witness(String dataSource) {
        this.dataSource = dataSource;
    }

    /** The first column of the first row as text; null without one. A list is an array of bigint. */
    String query(String sql, Object... parameters) throws SQLException {
        try (Connection connection = Inside.<DataSource>lookup(dataSource).getConnection();
                PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? string(row.getObject(1)) : null;
        }
    }

    long number(String sql, Object... parameters) throws SQLException {
        return Long.parseLong(query(sql, parameters));
    }

    void execute(String sql, Object... parameters) throws SQLException {
        try (Connection connection = Inside.<DataSource>lookup(dataSource).getConnection();
                PreparedStatement statement = prepare(connection, sql, parameters)) {
            statement.execute();
        }
    }

    /** Waits until a query gives this answer; fails with the last one. */
    void await(String expected, String sql, Object... parameters) throws SQLException, InterruptedException {
        long until = System.nanoTime() + LIMIT.toNanos();
        String actual = query(sql, parameters);
        while (!Objects.equals(expected, actual)) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("not " + expected + " but " + actual + " after " + LIMIT + ": " + sql);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            actual = query(sql, parameters);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof List<?> ids) {
                statement.setArray(i + 1, connection.createArrayOf("bigint", ids.toArray()));
            } else {
                statement.setObject(i + 1, parameters[i]);
            }
        }
        return statement;
    }

    private static String string(Object value) {
        return value == null ? null : value.toString();
    }
}
