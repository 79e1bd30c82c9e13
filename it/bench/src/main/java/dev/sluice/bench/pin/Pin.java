package dev.sluice.bench.pin;

import java.sql.SQLException;

/** What holds the MVCC horizon back from when it is made until it is closed. */
interface Pin extends AutoCloseable {

    /** Proves that it holds the horizon now; false if it does not. */
    boolean active() throws SQLException;

    @Override
    void close() throws SQLException;
}
