package dev.sluice.bench.pin;

import java.sql.Connection;
import java.sql.SQLException;

/** What holds the MVCC horizon back from when it is made until it is closed. */
interface Pin extends AutoCloseable {

    /** Proves that it holds the horizon now; false if it does not. */
    boolean active() throws SQLException;

    @Override
    void close() throws SQLException;

    /** Ends the transaction of a session, then the session: the server may take its time for the second. */
    static void end(Connection session) throws SQLException {
        try (session) {
            session.rollback();
        } catch (SQLException e) {
            // somebody has ended it before
        }
    }
}
