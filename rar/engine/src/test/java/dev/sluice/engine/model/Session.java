package dev.sluice.engine.model;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/** A database session that can be broken off and opened again. In autocommit, unless a transaction is under way. */
final class Session implements AutoCloseable {

    /** Opens a connection. */
    interface Opener {
        Connection open() throws SQLException;
    }

    private final Opener opener;
    private Connection connection;

    Session(Opener opener) throws SQLException {
        this.opener = opener;
        this.connection = opener.open();
    }

    Connection connection() {
        return connection;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A setting, of the transaction if one is under way. */
    void set(String name, int value) throws SQLException {
        execute((connection.getAutoCommit() ? "set " : "set local ") + name + " = '" + value + "'");
    }

    void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    void commit() throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    void rollback() throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }

    void prepare(String gid) throws SQLException {
        execute("prepare transaction '" + gid + "'");
        connection.setAutoCommit(true);
    }

    /** Its client is gone; returns the process id of the backend, which notices soon. */
    int breakOff() throws SQLException {
        int backend = connection.unwrap(PGConnection.class).getBackendPID();
        connection.abort(Runnable::run);
        return backend;
    }

    void reopen() throws SQLException {
        connection = opener.open();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
