package dev.sluice.rar.ds;

import dev.sluice.engine.delivery.Delivery;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionManager;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/**
 * What an application holds of {@code sluice/ds}. At each use it finds the physical connection of the transaction that
 * the calling thread is in: one kept over the end of a transaction does not work in an old one.
 *
 * <p>In a container transaction it refuses what would end that transaction or change the connection for whoever uses it
 * next.
 */
final class ConnectionHandle implements Connection {

    private volatile SluiceManagedConnection managed;
    private ConnectionManager connectionManager;
    private boolean autoCommit = true;
    private boolean closed;

    ConnectionHandle(SluiceManagedConnection managed) {
        this.managed = managed;
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
    }

    /** The container took the connection back. */
    void invalidate() {
        managed = null;
    }

    private SluiceManagedConnection managed() throws SQLException {
        SluiceManagedConnection current = managed;
        if (closed || current == null) {
            throw new SQLException("This connection of sluice/ds is closed. Get one where it is used", "08003");
        }
        return current;
    }

    private Connection physical() throws SQLException {
        return managed().connection(connectionManager);
    }

    private boolean inContainerTransaction() throws SQLException {
        return managed().inGlobalTransaction();
    }

    /** The connection outside a container transaction, where the application may do as it likes with it. */
    private Connection own(String doing) throws SQLException {
        if (inContainerTransaction()) {
            Delivery delivery = managed().delivery();
            throw new SQLException(
                    doing + " is refused in "
                            + (delivery == null ? "a container transaction" : "the transaction of " + delivery.job())
                            + ": the container ends it. Throw an exception, or call setRollbackOnly, to"
                            + " roll back",
                    "25000");
        }
        return physical();
    }

    private <S extends Statement> S handed(S statement, Class<S> type) throws SQLException {
        Connection madeOn = physical();
        InvocationHandler handler = new HandedStatement(statement, madeOn);
        return type.cast(
                Proxy.newProxyInstance(ConnectionHandle.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A statement that knows its handle, and works in the transaction it was made in only. */
    private final class HandedStatement implements InvocationHandler {

        private final Statement statement;
        private final Connection madeOn;

        private HandedStatement(Statement statement, Connection madeOn) {
            this.statement = statement;
            this.madeOn = madeOn;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "getConnection":
                    return ConnectionHandle.this;
                case "equals":
                    return proxy == arguments[0];
                case "hashCode":
                    return System.identityHashCode(proxy);
                default:
                    if (method.getName().startsWith("execute") && physical() != madeOn) {
                        throw new SQLException(
                                "This statement of sluice/ds was made in another transaction. Make one where it is used",
                                "25000");
                    }
            }
            try {
                return method.invoke(statement, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof SQLException error && managed != null) {
                    managed.failed(error);
                }
                throw e.getCause();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        SluiceManagedConnection current = managed;
        managed = null;
        if (current != null) {
            current.closed(this);
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
        return !inContainerTransaction() && autoCommit;
    }

    @Override
    public void setAutoCommit(boolean wanted) throws SQLException {
        if (inContainerTransaction()) {
            if (wanted) {
                own("setAutoCommit(true)");
            }
            return;
        }
        if (wanted == autoCommit) {
            return;
        }
        physical().setAutoCommit(wanted);
        autoCommit = wanted;
        managed()
                .localTransaction(
                        wanted
                                ? ConnectionEvent.LOCAL_TRANSACTION_COMMITTED
                                : ConnectionEvent.LOCAL_TRANSACTION_STARTED);
    }

    @Override
    public void commit() throws SQLException {
        own("commit()").commit();
        nextLocalTransaction(ConnectionEvent.LOCAL_TRANSACTION_COMMITTED);
    }

    @Override
    public void rollback() throws SQLException {
        own("rollback()").rollback();
        nextLocalTransaction(ConnectionEvent.LOCAL_TRANSACTION_ROLLEDBACK);
    }

    private void nextLocalTransaction(int ended) throws SQLException {
        if (!autoCommit) {
            managed().localTransaction(ended);
            managed().localTransaction(ConnectionEvent.LOCAL_TRANSACTION_STARTED);
        }
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        physical().rollback(savepoint);
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        return physical().setSavepoint();
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        return physical().setSavepoint(name);
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        physical().releaseSavepoint(savepoint);
    }

    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        if (readOnly || !inContainerTransaction()) {
            own("setReadOnly(true)").setReadOnly(readOnly);
        }
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        return physical().isReadOnly();
    }

    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        if (level != TRANSACTION_READ_COMMITTED) {
            throw new SQLFeatureNotSupportedException("sluice/ds works in READ COMMITTED only", "0A000");
        }
    }

    @Override
    public int getTransactionIsolation() {
        return TRANSACTION_READ_COMMITTED;
    }

    @Override
    public void setCatalog(String catalog) {
        // without effect, as in pgjdbc: a connection cannot change its database
    }

    @Override
    public String getCatalog() throws SQLException {
        return physical().getCatalog();
    }

    @Override
    public void setSchema(String schema) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "setSchema would outlive this use of the connection. Name the schema in the statements, or execute"
                        + " \"set local search_path\"",
                "0A000");
    }

    @Override
    public String getSchema() throws SQLException {
        return physical().getSchema();
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        own("setHoldability").setHoldability(holdability);
    }

    @Override
    public int getHoldability() throws SQLException {
        return physical().getHoldability();
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        own("abort").abort(executor);
    }

    @Override
    public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "A network timeout would outlive this use of the connection. Use Statement.setQueryTimeout", "0A000");
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        return physical().getNetworkTimeout();
    }

    /** Only what is harmless: the driver's own connection could end the transaction unseen. */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException(
                "A connection of sluice/ds cannot be unwrapped to " + type.getName()
                        + ": it works on whichever connection the transaction has",
                "0A000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public Statement createStatement() throws SQLException {
        return handed(physical().createStatement(), Statement.class);
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return handed(physical().createStatement(type, concurrency), Statement.class);
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return handed(physical().createStatement(type, concurrency, holdability), Statement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return handed(physical().prepareStatement(sql), PreparedStatement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return handed(physical().prepareStatement(sql, type, concurrency), PreparedStatement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        return handed(physical().prepareStatement(sql, type, concurrency, holdability), PreparedStatement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        return handed(physical().prepareStatement(sql, autoGeneratedKeys), PreparedStatement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        return handed(physical().prepareStatement(sql, columnIndexes), PreparedStatement.class);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        return handed(physical().prepareStatement(sql, columnNames), PreparedStatement.class);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        return handed(physical().prepareCall(sql), CallableStatement.class);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        return handed(physical().prepareCall(sql, type, concurrency), CallableStatement.class);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        return handed(physical().prepareCall(sql, type, concurrency, holdability), CallableStatement.class);
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        DatabaseMetaData metaData = physical().getMetaData();
        return (DatabaseMetaData) Proxy.newProxyInstance(
                ConnectionHandle.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return this;
                    }
                    try {
                        return method.invoke(metaData, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public String nativeSQL(String sql) throws SQLException {
        return physical().nativeSQL(sql);
    }

    @Override
    public SQLWarning getWarnings() throws SQLException {
        return physical().getWarnings();
    }

    @Override
    public void clearWarnings() throws SQLException {
        physical().clearWarnings();
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        return physical().getTypeMap();
    }

    @Override
    public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        own("setTypeMap").setTypeMap(map);
    }

    @Override
    public Clob createClob() throws SQLException {
        return physical().createClob();
    }

    @Override
    public Blob createBlob() throws SQLException {
        return physical().createBlob();
    }

    @Override
    public NClob createNClob() throws SQLException {
        return physical().createNClob();
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        return physical().createSQLXML();
    }

    @Override
    public Array createArrayOf(String typeName, Object[] elements) throws SQLException {
        return physical().createArrayOf(typeName, elements);
    }

    @Override
    public Struct createStruct(String typeName, Object[] attributes) throws SQLException {
        return physical().createStruct(typeName, attributes);
    }

    @Override
    public void setClientInfo(String name, String value) throws SQLClientInfoException {
        throw new SQLClientInfoException();
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        throw new SQLClientInfoException();
    }

    @Override
    public String getClientInfo(String name) throws SQLException {
        return physical().getClientInfo(name);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        return physical().getClientInfo();
    }
}
