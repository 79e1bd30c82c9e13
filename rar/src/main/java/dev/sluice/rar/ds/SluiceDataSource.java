package dev.sluice.rar.ds;

import jakarta.resource.Referenceable;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import java.io.PrintWriter;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.ConnectionBuilder;
import java.sql.SQLException;
import java.sql.ShardingKeyBuilder;
import java.util.logging.Logger;
import javax.naming.Reference;
import javax.sql.DataSource;

/** The connection factory {@code sluice/ds}. */
public final class SluiceDataSource implements DataSource, Serializable, Referenceable {

    private static final long serialVersionUID = 1L;

    private final transient SluiceManagedConnectionFactory factory;
    private final transient ConnectionManager connectionManager;
    private Reference reference;

    SluiceDataSource(SluiceManagedConnectionFactory factory, ConnectionManager connectionManager) {
        this.factory = factory;
        this.connectionManager = connectionManager;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            Use use = factory.context().current() == null ? Use.OWN : Use.DELIVERY;
            ConnectionHandle handle = (ConnectionHandle) connectionManager.allocateConnection(factory, use);
            handle.obtainedFrom(connectionManager);
            return handle;
        } catch (ResourceException e) {
            throw e.getCause() instanceof SQLException cause
                    ? cause
                    : new SQLException("sluice/ds gives no connection: " + e.getMessage(), "08001", e);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw Refusal.USER.error();
    }

    @Override
    public ConnectionBuilder createConnectionBuilder() throws SQLException {
        throw Refusal.SHARDING_KEY.error();
    }

    @Override
    public ShardingKeyBuilder createShardingKeyBuilder() throws SQLException {
        throw Refusal.SHARDING_KEY.error();
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("dev.sluice");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw Refusal.UNWRAP.error(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public void setReference(Reference reference) {
        this.reference = reference;
    }

    @Override
    public Reference getReference() {
        return reference;
    }
}
