package dev.sluice.bench.drain;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Brings all tables into the same state before each backlog, so that nobody pays for what others have left. */
final class CleanSlate {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final Connection connection;
    private final String tables;

    /**
     * @param connection in autocommit
     * @param tables     their names
     */
    CleanSlate(Connection connection, List<String> tables) {
        this.connection = connection;
        this.tables = String.join(", ", tables);
    }

    /** Before the jobs are enqueued: frees the space of those that are gone. */
    void vacuum() throws SQLException {
        execute("/* bench:vacuum */ vacuum " + tables);
    }

    /** When they are: tells the planner, and writes out what was changed, as the role may. */
    void settle() throws SQLException {
        execute("/* bench:analyze */ analyze " + tables);
        try {
            execute("/* bench:checkpoint */ checkpoint");
        } catch (SQLException e) {
            // then it falls on whoever is at work, on all alike in the long run
            if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
