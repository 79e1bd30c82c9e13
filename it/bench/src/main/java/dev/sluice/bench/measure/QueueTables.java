package dev.sluice.bench.measure;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables of a queue that have a row for a job or for a claim, and how many rows there are. */
public final class QueueTables {

    private static final String NAMES = """
            /* bench:queue tables */
            select format('%I.%I', ?::text, relname) from pg_class
            where relnamespace = to_regnamespace(?) and relkind = 'r'
              and relname ~ '^(job|claim|scheduled|parked|dead_letter)(_[0-9]+)?$'
            order by relname""";

    private static final String COUNT = "/* bench:left */ select ";
    private static final String COUNT_OF_TABLE = "(select count(*) from %s)";
    private static final String OF_CLAIMS = ".claim";

    private final Connection connection;
    private final List<String> names = new ArrayList<>();

    /**
     * Of Sluice.
     *
     * @param connection in autocommit, to a database with the queue
     */
    public QueueTables(Connection connection) throws SQLException {
        this(connection, "sluice");
    }

    /**
     * Of any queue.
     *
     * @param connection in autocommit, to a database with the queue
     * @param schema     of the queue
     */
    public QueueTables(Connection connection, String schema) throws SQLException {
        this.connection = connection;
        try (PreparedStatement query = connection.prepareStatement(NAMES)) {
            query.setString(1, schema);
            query.setString(2, schema);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
        }
    }

    /** Their names, with the schema's. */
    public List<String> names() {
        return List.copyOf(names);
    }

    /** Rows in all of them: 0 if every job is done and every claim forgotten. */
    public long rows() throws SQLException {
        return count(names);
    }

    /** Jobs, whatever became of them. */
    public long jobs() throws SQLException {
        return count(names.stream().filter(name -> !name.contains(OF_CLAIMS)).toList());
    }

    private long count(List<String> tables) throws SQLException {
        String counts = String.join(
                " + ", tables.stream().map(COUNT_OF_TABLE::formatted).toList());
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery(COUNT + counts)) {
            row.next();
            return row.getLong(1);
        }
    }
}
