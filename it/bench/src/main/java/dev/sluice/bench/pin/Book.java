package dev.sluice.bench.pin;

import dev.sluice.bench.measure.QueueTables;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables beside the queue, and what their rows say for certain. */
final class Book {

    /** Autovacuum leaves them alone: it would put estimates in the place of their exact counts. */
    private static final String CREATE = """
            create table bench.business (number bigint not null, queue text not null) with (autovacuum_enabled = off);
            comment on table bench.business is 'What producers wrote, a row for each job';
            create table bench.pin (number int);
            alter table bench.ledger set (autovacuum_enabled = off)""";

    private static final String DEPTH = """
            /* bench:depth */
            select (select count(*) from bench.business) - (select count(*) from bench.ledger)""";

    private static final String ENTRIES = "/* bench:entries */ select count(*) from bench.ledger";

    private final Connection connection;
    private final String schema;

    /** @param schema of the queue */
    Book(Connection connection, String schema) {
        this.connection = connection;
        this.schema = schema;
    }

    static void create(Database database) throws SQLException {
        try (Connection connection = database.connect(Database.QUEUE);
                Statement statement = connection.createStatement()) {
            statement.execute(CREATE);
        }
    }

    /** Jobs that are committed and not done. */
    long depth() throws SQLException {
        return number(DEPTH);
    }

    /** Rows in the ledger. */
    long entries() throws SQLException {
        return number(ENTRIES);
    }

    /** Rows that the queue still has of jobs, and of claims: as long as there are any, something may come back. */
    long left() throws SQLException {
        return new QueueTables(connection, schema).rows();
    }

    private long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
