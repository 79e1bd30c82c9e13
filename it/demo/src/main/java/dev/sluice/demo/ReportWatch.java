package dev.sluice.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Looks ten times a second how many reports the database works on: not what the permits say, what really runs. */
final class ReportWatch implements AutoCloseable {

    private static final String RUNNING = """
            /* demo:reports */
            select count(*) from pg_stat_activity
            where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()
              and query like '%/* report=''ledger'' */%'""";
    private static final Duration PERIOD = Duration.ofMillis(100);

    private final Connection connection;
    private final Ticker ticker = new Ticker("report watch", PERIOD, this::look);
    private volatile int most;
    private volatile SQLException problem;

    /** @param connection this watch's own; closed with it */
    ReportWatch(Connection connection) {
        this.connection = connection;
    }

    void start() {
        ticker.start();
    }

    /** The most that ran at the same time. */
    int most() {
        return most;
    }

    /** Why it could not look at some time; null if it always could. */
    SQLException problem() {
        return problem;
    }

    @Override
    public void close() throws SQLException {
        ticker.close();
        connection.close();
    }

    private void look() {
        try (PreparedStatement running = connection.prepareStatement(RUNNING);
                ResultSet row = running.executeQuery()) {
            row.next();
            most = Math.max(most, row.getInt(1));
        } catch (SQLException e) {
            problem = e;
        }
    }
}
