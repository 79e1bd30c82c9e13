package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Brings tables to rest, so that what was done to them before is not paid for by what is measured next. */
public final class CleanSlate {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final Connection connection;
    private final String tables;

    /**
     * @param connection in autocommit
     * @param tables     their names
     */
    public CleanSlate(Connection connection, List<String> tables) {
        this.connection = connection;
        this.tables = String.join(", ", tables);
    }

    /** Before many rows are written: frees the space of those that are gone. */
    public void vacuum() throws SQLException {
        execute("/* bench:vacuum */ vacuum " + tables);
    }

    /** When they are: does what autovacuum would do sooner or later, and writes out what was changed, as the role may. */
    public void settle() throws SQLException {
        execute("/* bench:analyze */ vacuum (analyze) " + tables);
        try {
            execute("/* bench:checkpoint */ checkpoint");
        } catch (SQLException e) {
            // then it comes when it comes
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
