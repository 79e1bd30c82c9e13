package dev.sluice.rar.ds;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.xa.BranchXAResource;
import dev.sluice.rar.DeliveryContext;
import dev.sluice.rar.HandlerTransaction;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.LazyEnlistableConnectionManager;
import jakarta.resource.spi.LazyEnlistableManagedConnection;
import jakarta.resource.spi.LocalTransaction;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionMetaData;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.Subject;
import javax.transaction.xa.XAResource;

/**
 * A connection of the container's pool. It has a {@linkplain OwnConnection physical connection of its own} only once it is
 * used outside a delivery; inside one its handles work on the delivery's, and it is never enlisted, so that the handler's
 * transaction has one branch and commits in one phase.
 */
final class SluiceManagedConnection implements LazyEnlistableManagedConnection, ManagedConnection {

    private final SluiceManagedConnectionFactory factory;
    private final Use use;
    private final DeliveryContext context;
    private final OwnConnection own;
    private final BranchXAResource resource;
    private final Set<ConnectionHandle> handles = ConcurrentHashMap.newKeySet();
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private final Runnable closeStatements = this::closeStatements;
    private PrintWriter logWriter;

    SluiceManagedConnection(
            SluiceManagedConnectionFactory factory,
            Use use,
            Database database,
            Outages outages,
            DeliveryContext context) {
        this.factory = factory;
        this.use = use;
        this.context = context;
        this.own = new OwnConnection(database, outages, this::broke, System::nanoTime);
        this.resource = new BranchXAResource(own, database);
    }

    SluiceManagedConnectionFactory factory() {
        return factory;
    }

    Use use() {
        return use;
    }

    /** The delivery whose handler calls; null outside a handler's transaction. */
    Delivery delivery() {
        HandlerTransaction handler = context.current();
        return handler == null ? null : handler.delivery();
    }

    /** Key of the container transaction of this thread; null outside one. */
    Object transaction() {
        return context.transaction();
    }

    /**
     * The connection to work on now, with a transaction begun on it if there is a container transaction.
     *
     * @param obtainedFrom the connection manager that gave the handle
     */
    Connection connection(ConnectionManager obtainedFrom) throws SQLException {
        Object transaction = transaction();
        if (own.transaction() != null && !own.transaction().equals(transaction)) {
            throw new SQLException(
                    "This connection of sluice/ds works in another transaction that has not ended. Get one where it is used",
                    "25000");
        }
        HandlerTransaction handler = context.current();
        if (handler != null) {
            handler.atEnd(closeStatements);
            return handler.delivery().connection();
        }
        if (transaction == null) {
            return own.use(hasStatements());
        }
        enlist(obtainedFrom);
        return own.use(transaction, hasStatements());
    }

    private void enlist(ConnectionManager obtainedFrom) throws SQLException {
        if (!resource.active() && obtainedFrom instanceof LazyEnlistableConnectionManager lazy) {
            try {
                lazy.lazyEnlist(this);
            } catch (ResourceException e) {
                throw new SQLException("sluice/ds cannot join the transaction: " + e.getMessage(), "25000", e);
            }
        }
        if (!resource.active()) {
            throw new SQLException("sluice/ds is not enlisted in the transaction of this thread", "25000");
        }
    }

    private boolean hasStatements() {
        return handles.stream().anyMatch(ConnectionHandle::hasStatements);
    }

    private void closeStatements() {
        handles.forEach(ConnectionHandle::closeStatements);
    }

    /** The application is about to change the session of the connection that it works on now. */
    void sessionChanges() {
        Delivery delivery = delivery();
        if (delivery != null) {
            delivery.sessionChanged();
        } else {
            own.sessionChanges();
        }
    }

    boolean autoCommit() throws SQLException {
        return transaction() == null && own.autoCommit();
    }

    /** The application turns autocommit off or on, outside a container transaction. */
    void autoCommit(boolean wanted) throws SQLException {
        if (wanted != own.autoCommit()) {
            own.autoCommit(wanted);
            localTransaction(
                    wanted ? ConnectionEvent.LOCAL_TRANSACTION_COMMITTED : ConnectionEvent.LOCAL_TRANSACTION_STARTED);
        }
    }

    /** The application ended its local transaction, and is in the next. */
    void nextLocalTransaction(int ended) {
        if (own.inLocalTransaction()) {
            localTransaction(ended);
            localTransaction(ConnectionEvent.LOCAL_TRANSACTION_STARTED);
        }
    }

    /** What the application left of its local transaction is rolled back. */
    void endLocalTransaction() {
        if (own.inLocalTransaction()) {
            own.rollBack();
            localTransaction(ConnectionEvent.LOCAL_TRANSACTION_ROLLEDBACK);
        }
    }

    /** A handle was closed by the application. */
    void closed(ConnectionHandle handle) {
        handles.remove(handle);
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_CLOSED);
        event.setConnectionHandle(handle);
        listeners.forEach(listener -> listener.connectionClosed(event));
    }

    /** A statement failed; when that was for want of the connection of its own, this one must leave the pool. */
    void failed(SQLException error) {
        if (delivery() == null && Remedy.connectionLost(error)) {
            broke(error);
        }
    }

    private void broke(SQLException error) {
        own.broke();
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_ERROR_OCCURRED, error);
        listeners.forEach(listener -> listener.connectionErrorOccurred(event));
    }

    /** The application began or ended a local transaction through a handle. */
    private void localTransaction(int eventType) {
        ConnectionEvent event = new ConnectionEvent(this, eventType);
        for (ConnectionEventListener listener : listeners) {
            switch (eventType) {
                case ConnectionEvent.LOCAL_TRANSACTION_STARTED -> listener.localTransactionStarted(event);
                case ConnectionEvent.LOCAL_TRANSACTION_COMMITTED -> listener.localTransactionCommitted(event);
                default -> listener.localTransactionRolledback(event);
            }
        }
    }

    @Override
    public Object getConnection(Subject subject, ConnectionRequestInfo request) {
        ConnectionHandle handle = new ConnectionHandle(this);
        handles.add(handle);
        return handle;
    }

    @Override
    public void associateConnection(Object connection) {
        ConnectionHandle handle = (ConnectionHandle) connection;
        handle.associate(this);
        handles.add(handle);
    }

    void dissociate(ConnectionHandle handle) {
        handles.remove(handle);
    }

    /** Back to the pool: handles end, and nothing of what the application did stays. A delivery's connection is not ours. */
    @Override
    public void cleanup() throws ResourceException {
        invalidateHandles();
        if (own.transaction() != null) {
            throw new ResourceException("The transaction of this connection has not ended");
        }
        own.reset();
    }

    @Override
    public void destroy() {
        invalidateHandles();
        own.discard();
    }

    private void invalidateHandles() {
        handles.forEach(ConnectionHandle::invalidate);
        handles.clear();
    }

    /** Needs no physical connection, since containers ask before they know whether it is used. */
    @Override
    public XAResource getXAResource() {
        return resource;
    }

    @Override
    public LocalTransaction getLocalTransaction() {
        return new LocalTransaction() {
            @Override
            public void begin() throws ResourceException {
                try {
                    own.use(hasStatements());
                    own.autoCommit(false);
                } catch (SQLException e) {
                    throw new ResourceException(e.getMessage(), e);
                }
            }

            @Override
            public void commit() throws ResourceException {
                try {
                    own.commit();
                } catch (SQLException e) {
                    throw new ResourceException(e.getMessage(), e);
                }
            }

            @Override
            public void rollback() {
                own.rollBack();
            }
        };
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        listeners.remove(listener);
    }

    @Override
    public ManagedConnectionMetaData getMetaData() {
        return new ManagedConnectionMetaData() {
            @Override
            public String getEISProductName() {
                return "PostgreSQL";
            }

            @Override
            public String getEISProductVersion() {
                return "";
            }

            @Override
            public int getMaxConnections() {
                return 0;
            }

            @Override
            public String getUserName() {
                return "";
            }
        };
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        logWriter = out;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }
}
