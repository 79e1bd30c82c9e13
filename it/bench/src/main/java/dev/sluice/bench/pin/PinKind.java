package dev.sluice.bench.pin;

import dev.sluice.bench.option.Words;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.SQLException;

/** What holds the horizon back: the values of {@code --pin}. */
enum PinKind {
    /** An idle REPEATABLE READ transaction, which has read nothing of ours. */
    SNAPSHOT {
        @Override
        Pin hold(Database database, String schema, EarlyJob job) throws SQLException {
            return SessionPin.hold(database, Connection.TRANSACTION_REPEATABLE_READ, "select 1", SessionPin.SNAPSHOT);
        }
    },

    /** An idle transaction that has written, without a snapshot. */
    XID {
        @Override
        Pin hold(Database database, String schema, EarlyJob job) throws SQLException {
            return SessionPin.hold(
                    database,
                    Connection.TRANSACTION_READ_COMMITTED,
                    "insert into bench.pin values (1)",
                    SessionPin.TRANSACTION);
        }
    },

    /** A prepared transaction, which has inserted a job. */
    PREPARED {
        @Override
        Pin hold(Database database, String schema, EarlyJob job) throws SQLException {
            return PreparedPin.hold(database, job);
        }
    },

    /** A transaction that has written in another database. */
    OTHERDB {
        @Override
        Pin hold(Database database, String schema, EarlyJob job) throws SQLException {
            return OtherDatabasePin.hold(database);
        }
    },

    /** An idle REPEATABLE READ transaction that has read the queue's tables, so it has locks on them as well. */
    READER {
        @Override
        Pin hold(Database database, String schema, EarlyJob job) throws SQLException {
            return ReaderPin.hold(database, schema);
        }
    };

    /** Enqueues the first job of the run, in the connection's transaction. */
    @FunctionalInterface
    interface EarlyJob {
        void enqueue(Connection connection) throws SQLException;
    }

    /**
     * Begins to hold the horizon back.
     *
     * @param schema of the queue
     * @param job    for the one that has inserted a job
     */
    abstract Pin hold(Database database, String schema, EarlyJob job) throws SQLException;

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return Words.of(this);
    }
}
