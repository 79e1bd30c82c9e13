package dev.sluice.rar.ds;

import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * What an application holds of {@code sluice/ds}. At each use it finds the physical connection of the transaction that the
 * calling thread is in. One that was got in a transaction works in that one only; one that was got outside works in
 * whichever transaction it is used in, as long as the container leaves it open.
 */
final class ConnectionHandle extends LentConnection {

    private final Set<Statement> statements = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile SluiceManagedConnection managed;
    private ConnectionManager connectionManager;
    /** Key of the transaction that it was got in; null if it was got outside. */
    private Object obtainedIn;

    private volatile boolean closed;

    ConnectionHandle(SluiceManagedConnection managed) {
        this.managed = managed;
        this.obtainedIn = managed.transaction();
    }

    void obtainedFrom(ConnectionManager manager) {
        connectionManager = manager;
    }

    void associate(SluiceManagedConnection other) {
        SluiceManagedConnection old = managed;
        if (old != null && old != other) {
            old.dissociate(this);
        }
        managed = other;
        obtainedIn = other.transaction();
    }

    /** The container took the connection back. */
    void invalidate() {
        managed = null;
        closeStatements();
    }

    private SluiceManagedConnection managed() throws SQLException {
        SluiceManagedConnection current = managed;
        if (closed || current == null) {
            throw new SQLException("This connection of sluice/ds is closed. Get one where it is used", "08003");
        }
        if (obtainedIn != null && !obtainedIn.equals(current.transaction())) {
            throw new SQLException(
                    "This connection of sluice/ds was got in another transaction. Get one where it is used", "25000");
        }
        return current;
    }

    private Connection physical() throws SQLException {
        return managed().connection(connectionManager);
    }

    @Override
    @SuppressWarnings("unchecked")
    <T> T with(String sql, Work<T> work) throws SQLException {
        Connection physical = physical();
        return (T) Lent.of(this, physical, done(work, physical), null, StatementText.of(sql));
    }

    private <T> T done(Work<T> work, Connection physical) throws SQLException {
        try {
            return work.on(physical);
        } catch (SQLException e) {
            failed(e);
            throw e;
        }
    }

    /** What was made on this connection is about to work: not in another transaction. */
    void require(Connection madeOn) throws SQLException {
        if (physical() != madeOn) {
            throw new SQLException(
                    "This statement of sluice/ds was made in another transaction. Make one where it is used", "25000");
        }
    }

    /** A statement of this text is about to be executed. */
    void executes(StatementText text) throws SQLException {
        if (text.endsTransaction() && managed().transaction() != null) {
            throw Refusal.ENDING_STATEMENT.in(managed().delivery());
        }
        if (text.changesSession()) {
            managed().sessionChanges();
        }
    }

    /** Something failed. */
    void failed(SQLException error) {
        SluiceManagedConnection current = managed;
        if (current != null) {
            current.failed(error);
        }
    }

    /** A statement was lent; null is none. */
    void opened(Statement statement) {
        if (statement != null) {
            synchronized (statements) {
                statements.add(statement);
            }
        }
    }

    /** A statement was closed, or may have closed itself; null is none. */
    void closed(Statement statement) throws SQLException {
        if (statement != null && statement.isClosed()) {
            synchronized (statements) {
                statements.remove(statement);
            }
        }
    }

    boolean hasStatements() {
        synchronized (statements) {
            return !statements.isEmpty();
        }
    }

    /** What was lent is taken back, result sets with their statements. */
    void closeStatements() {
        ArrayList<Statement> open;
        synchronized (statements) {
            open = new ArrayList<>(statements);
            statements.clear();
        }
        for (Statement statement : open) {
            try {
                statement.close();
            } catch (SQLException e) {
                failed(e);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        closeStatements();
        SluiceManagedConnection current = managed;
        managed = null;
        if (current != null) {
            try {
                if (current.transaction() == null) {
                    current.endLocalTransaction();
                }
            } finally {
                current.closed(this);
            }
        }
    }

    @Override
    public boolean isClosed() {
        return closed || managed == null;
    }

    @Override
    public boolean isValid(int timeout) throws SQLException {
        return !isClosed() && physical().isValid(timeout);
    }

    @Override
    public boolean getAutoCommit() throws SQLException {
        return managed().autoCommit();
    }

    @Override
    public void setAutoCommit(boolean wanted) throws SQLException {
        if (managed().transaction() == null) {
            run(physical -> managed().autoCommit(wanted));
        } else if (wanted) {
            throw Refusal.AUTO_COMMIT.in(managed().delivery());
        }
    }

    @Override
    public void commit() throws SQLException {
        end(Refusal.COMMIT, Connection::commit, ConnectionEvent.LOCAL_TRANSACTION_COMMITTED);
    }

    @Override
    public void rollback() throws SQLException {
        end(Refusal.ROLLBACK, Connection::rollback, ConnectionEvent.LOCAL_TRANSACTION_ROLLEDBACK);
    }

    /** Outside a container transaction the application may end its own; the next one begins with it. */
    private void end(Refusal refusal, Action ending, int event) throws SQLException {
        if (managed().transaction() != null) {
            throw refusal.in(managed().delivery());
        }
        run(ending);
        managed().nextLocalTransaction(event);
    }
}
