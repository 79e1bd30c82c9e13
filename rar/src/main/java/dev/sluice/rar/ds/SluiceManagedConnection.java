package dev.sluice.rar.ds;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.xa.Branch;
import dev.sluice.engine.xa.BranchXAResource;
import dev.sluice.rar.DeliveryContext;
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
 * A connection of the container's pool. It has a physical connection of its own only once it is used outside a
 * delivery; inside one its handles work on the delivery's, and it is never enlisted, so that the handler's transaction
 * has one branch and commits in one phase.
 */
final class SluiceManagedConnection implements LazyEnlistableManagedConnection, ManagedConnection {

    private final SluiceManagedConnectionFactory factory;
    private final Database database;
    private final DeliveryContext context;
    private final OwnBranch branch = new OwnBranch();
    private final BranchXAResource resource;
    private final Set<ConnectionHandle> handles = ConcurrentHashMap.newKeySet();
    private final List<ConnectionEventListener> listeners = new CopyOnWriteArrayList<>();
    private Connection physical;
    private boolean applicationTransaction;
    private boolean sessionChanged;
    private PrintWriter logWriter;

    SluiceManagedConnection(SluiceManagedConnectionFactory factory, Database database, DeliveryContext context) {
        this.factory = factory;
        this.database = database;
        this.context = context;
        this.resource = new BranchXAResource(branch, database);
    }

    SluiceManagedConnectionFactory factory() {
        return factory;
    }

    /** The delivery whose handler calls; null outside a handler's transaction. */
    Delivery delivery() {
        return context.current();
    }

    boolean inGlobalTransaction() {
        return context.transactions().getTransactionKey() != null;
    }

    /**
     * The connection to work on now, with a transaction begun on it if there is a container transaction.
     *
     * @param obtainedFrom the connection manager that gave the handle
     */
    Connection connection(ConnectionManager obtainedFrom) throws SQLException {
        Object transaction = context.transactions().getTransactionKey();
        if (branch.transaction != null && !branch.transaction.equals(transaction)) {
            throw new SQLException(
                    "This connection of sluice/ds works in another transaction that has not ended. Get one where it is used",
                    "25000");
        }
        Delivery delivery = delivery();
        if (delivery != null) {
            return delivery.connection();
        }
        if (transaction == null) {
            return physical();
        }
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
        return branch.begin(transaction);
    }

    /** The application is about to change the session of the connection that it works on now. */
    void sessionChanges() {
        Delivery delivery = delivery();
        if (delivery != null) {
            delivery.sessionChanged();
        } else {
            sessionChanged = true;
        }
    }

    /** Whether the application began a local transaction and has not ended it. */
    boolean inApplicationTransaction() {
        return applicationTransaction;
    }

    boolean autoCommit() throws SQLException {
        return !inGlobalTransaction() && (physical == null || physical.getAutoCommit());
    }

    /** The application turns autocommit off or on, outside a container transaction. */
    void autoCommit(boolean wanted) throws SQLException {
        if (wanted == physical().getAutoCommit()) {
            return;
        }
        physical().setAutoCommit(wanted);
        applicationTransaction = !wanted;
        localTransaction(
                wanted ? ConnectionEvent.LOCAL_TRANSACTION_COMMITTED : ConnectionEvent.LOCAL_TRANSACTION_STARTED);
    }

    /** What the application left of its local transaction is rolled back. */
    void endApplicationTransaction() throws SQLException {
        if (applicationTransaction) {
            applicationTransaction = false;
            end(Connection::rollback);
            localTransaction(ConnectionEvent.LOCAL_TRANSACTION_ROLLEDBACK);
        }
    }

    private Connection physical() throws SQLException {
        if (physical == null) {
            physical = database.open("application");
        }
        return physical;
    }

    /** A handle was closed by the application. */
    void closed(ConnectionHandle handle) {
        handles.remove(handle);
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_CLOSED);
        event.setConnectionHandle(handle);
        listeners.forEach(listener -> listener.connectionClosed(event));
    }

    /** A statement failed; when that was for want of the connection, this one must leave the pool. */
    void failed(SQLException error) {
        if (physical == null || delivery() != null || !Remedy.connectionLost(error)) {
            return;
        }
        ConnectionEvent event = new ConnectionEvent(this, ConnectionEvent.CONNECTION_ERROR_OCCURRED, error);
        listeners.forEach(listener -> listener.connectionErrorOccurred(event));
    }

    /** The application began or ended a local transaction through a handle. */
    void localTransaction(int eventType) {
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
        handles.forEach(ConnectionHandle::invalidate);
        handles.clear();
        if (branch.transaction != null) {
            throw new ResourceException("The transaction of this connection has not ended");
        }
        if (physical == null) {
            return;
        }
        try {
            if (sessionChanged) {
                physical.close();
                physical = null;
            } else {
                end(Connection::rollback);
            }
            sessionChanged = false;
            applicationTransaction = false;
        } catch (SQLException e) {
            throw new ResourceException(e.getMessage(), e);
        }
    }

    @Override
    public void destroy() throws ResourceException {
        handles.forEach(ConnectionHandle::invalidate);
        handles.clear();
        if (physical != null) {
            try {
                physical.close();
            } catch (SQLException e) {
                throw new ResourceException(e.getMessage(), e);
            } finally {
                physical = null;
            }
        }
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
                run(() -> physical().setAutoCommit(false));
            }

            @Override
            public void commit() throws ResourceException {
                run(() -> end(Connection::commit));
            }

            @Override
            public void rollback() throws ResourceException {
                run(() -> end(Connection::rollback));
            }
        };
    }

    private interface Step {
        void run() throws SQLException;
    }

    private interface Ending {
        void of(Connection connection) throws SQLException;
    }

    private static void run(Step step) throws ResourceException {
        try {
            step.run();
        } catch (SQLException e) {
            throw new ResourceException(e.getMessage(), e);
        }
    }

    private void end(Ending ending) throws SQLException {
        if (physical != null && !physical.getAutoCommit()) {
            ending.of(physical);
            physical.setAutoCommit(true);
        }
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

    /** The branch of a global transaction that works on the physical connection of our own. */
    private final class OwnBranch implements Branch {

        /** The key of the transaction that work was begun in; null if none was. */
        private Object transaction;

        Connection begin(Object key) throws SQLException {
            Connection connection = physical();
            if (transaction == null) {
                connection.setAutoCommit(false);
                transaction = key;
            }
            return connection;
        }

        @Override
        public Connection open() {
            return transaction == null ? null : physical;
        }

        @Override
        public void beforeCompletion() {}

        @Override
        public Boolean decide() {
            return null;
        }

        @Override
        public void completed(Outcome outcome, boolean usable) {
            transaction = null;
            if (!usable) {
                failed(new SQLException("the connection broke at the end of its transaction", "08006"));
            }
        }
    }
}
