package dev.sluice.bench.site;

import java.sql.Connection;
import java.sql.SQLException;

/** A PostgreSQL in which the databases of the bench are made anew for a run. */
public interface Database extends AutoCloseable {

    /** The database with the queue, and the ledger beside it. */
    String QUEUE = "sluice_bench";

    /** The database with a ledger only, which another XA data source writes to. */
    String APART = "sluice_bench_apart";

    /** The JDBC URL of one of our databases, without role and password. */
    String url(String name);

    /** The role of everybody. */
    String user();

    /** Its password. */
    String password();

    /** A connection to one of our databases, in autocommit mode. */
    default Connection connect(String name) throws SQLException {
        return connect(name, "sluice-bench", "");
    }

    /**
     * A connection to one of our databases, in autocommit mode.
     *
     * @param application its name for people
     * @param options     as in the environment variable PGOPTIONS
     */
    default Connection connect(String name, String application, String options) throws SQLException {
        return Login.connect(url(name), user(), password(), application, options);
    }

    /** Drops our databases, or the whole server if it is ours. */
    @Override
    void close() throws SQLException;
}
