package dev.sluice.bench.pin;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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

    /** Also what nodes still remember of jobs, so that nothing of them can come back. */
    private static final String TABLES = """
            /* bench:tables of jobs */
            select format('(select count(*) from %s)', oid::regclass) from pg_class
            where relnamespace = '{schema}'::regnamespace and relkind = 'r'
              and relname ~ '^(job|claim|scheduled|parked)(_[0-9]+)?$'""";

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

    /** Rows that the queue still has of jobs, wherever they wait. */
    long left() throws SQLException {
        List<String> counts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TABLES.replace("{schema}", schema))) {
            while (row.next()) {
                counts.add(row.getString(1));
            }
        }
        return number("/* bench:left */ select " + String.join(" + ", counts));
    }

    private long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
