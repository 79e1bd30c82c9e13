package dev.sluice.rar.ds;

import dev.sluice.engine.delivery.Delivery;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionManager;
import java.lang.reflect.InvocationTargetException;
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

    private SQLException endsTransaction(String doing) throws SQLException {
        Delivery delivery = managed().delivery();
        return new SQLException(
                doing + " is refused in "
                        + (delivery == null ? "a container transaction" : "the transaction of " + delivery)
                        + ": the container ends it. Throw an exception, or call setRollbackOnly, to roll back",
                "25000");
    }

    /** The connection outside a container transaction, where the application may end its own. */
    private Connection ending(String doing) throws SQLException {
        if (inContainerTransaction()) {
            throw endsTransaction(doing);
        }
        return physical();
    }

    private <S extends Statement> S handed(S statement, Class<S> type, String sql) throws SQLException {
        HandedStatement handler = new HandedStatement(this, statement, physical(), sql);
        return handler.proxy(type);
    }

    /** Called before a statement is executed. */
    void beforeExecute(Connection madeOn, String sql) throws SQLException {
        if (physical() != madeOn) {
            throw new SQLException(
                    "This statement of sluice/ds was made in another transaction. Make one where it is used", "25000");
        }
        if (SessionChange.by(sql)) {
            managed().sessionChanges();
        }
    }

    /** A statement failed. */
    void failed(SQLException error) {
        SluiceManagedConnection current = managed;
        if (current != null) {
            current.failed(error);
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
            try {
                if (!current.inGlobalTransaction()) {
                    current.endApplicationTransaction();
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
        if (!inContainerTransaction()) {
            managed().autoCommit(wanted);
        } else if (wanted) {
            throw endsTransaction("setAutoCommit(true)");
        }
    }

    @Override
    public void commit() throws SQLException {
        ending("commit()").commit();
        nextLocalTransaction(ConnectionEvent.LOCAL_TRANSACTION_COMMITTED);
    }

    @Override
    public void rollback() throws SQLException {
        ending("rollback()").rollback();
        nextLocalTransaction(ConnectionEvent.LOCAL_TRANSACTION_ROLLEDBACK);
    }

    private void nextLocalTransaction(int ended) throws SQLException {
        if (managed().inApplicationTransaction()) {
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

    private static SQLException outlives(String doing, String instead) {
        return new SQLFeatureNotSupportedException(
                doing + " is refused: it would outlive this use of the connection. " + instead, "0A000");
    }

    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        if (readOnly) {
            throw outlives("setReadOnly(true)", "Execute \"set transaction read only\" first in the transaction");
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
        throw outlives("setSchema", "Name the schema in the statements, or execute \"set local search_path\"");
    }

    @Override
    public String getSchema() throws SQLException {
        return physical().getSchema();
    }

    @Override
    public void setHoldability(int holdability) throws SQLException {
        if (holdability != getHoldability()) {
            throw outlives("setHoldability", "Give the holdability to createStatement or prepareStatement");
        }
    }

    @Override
    public int getHoldability() throws SQLException {
        return physical().getHoldability();
    }

    @Override
    public void abort(Executor executor) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "abort would break whatever else works on this connection. Use Statement.cancel", "0A000");
    }

    @Override
    public void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        throw outlives("setNetworkTimeout", "Use Statement.setQueryTimeout");
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
        return handed(physical().createStatement(), Statement.class, null);
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return handed(physical().createStatement(type, concurrency), Statement.class, null);
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
        return handed(physical().createStatement(type, concurrency, holdability), Statement.class, null);
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return handed(physical().prepareStatement(sql), PreparedStatement.class, sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return handed(physical().prepareStatement(sql, type, concurrency), PreparedStatement.class, sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
            throws SQLException {
        return handed(physical().prepareStatement(sql, type, concurrency, holdability), PreparedStatement.class, sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        return handed(physical().prepareStatement(sql, autoGeneratedKeys), PreparedStatement.class, sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        return handed(physical().prepareStatement(sql, columnIndexes), PreparedStatement.class, sql);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        return handed(physical().prepareStatement(sql, columnNames), PreparedStatement.class, sql);
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        return handed(physical().prepareCall(sql), CallableStatement.class, sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        return handed(physical().prepareCall(sql, type, concurrency), CallableStatement.class, sql);
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        return handed(physical().prepareCall(sql, type, concurrency, holdability), CallableStatement.class, sql);
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
        throw outlives("setTypeMap", "Give the map to ResultSet.getObject");
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
        throw new SQLClientInfoException("The client info of sluice/ds is the adapter's", "0A000", Map.of());
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        throw new SQLClientInfoException("The client info of sluice/ds is the adapter's", "0A000", Map.of());
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
