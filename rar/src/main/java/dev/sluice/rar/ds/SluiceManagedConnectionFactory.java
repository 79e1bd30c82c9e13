package dev.sluice.rar.ds;

import dev.sluice.rar.DeliveryContext;
import dev.sluice.rar.SluiceResourceAdapter;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import java.io.PrintWriter;
import java.util.Set;
import javax.security.auth.Subject;

/** Makes the managed connections of {@code sluice/ds}. All that it is configured with is its adapter's. */
public final class SluiceManagedConnectionFactory implements ManagedConnectionFactory, ResourceAdapterAssociation {

    private static final long serialVersionUID = 1L;

    private transient SluiceResourceAdapter adapter;
    private transient PrintWriter logWriter;
    private transient Outages outages;

    DeliveryContext context() {
        return new DeliveryContext(adapter.transactions());
    }

    @Override
    public Object createConnectionFactory(ConnectionManager connectionManager) {
        return new SluiceDataSource(this, connectionManager);
    }

    @Override
    public Object createConnectionFactory() throws ResourceException {
        throw new jakarta.resource.NotSupportedException("sluice/ds works in an application server only");
    }

    @Override
    public ManagedConnection createManagedConnection(Subject subject, ConnectionRequestInfo request)
            throws ResourceException {
        try {
            return new SluiceManagedConnection(
                    this, Use.of(request), adapter.engine().database(), outages, context());
        } catch (java.sql.SQLException e) {
            throw new ResourceException(e.getMessage(), e);
        }
    }

    @Override
    @SuppressWarnings("rawtypes")
    public ManagedConnection matchManagedConnections(Set candidates, Subject subject, ConnectionRequestInfo request) {
        for (Object candidate : candidates) {
            if (candidate instanceof SluiceManagedConnection connection
                    && connection.factory().equals(this)
                    && connection.use() == Use.of(request)) {
                return connection;
            }
        }
        return null;
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter resourceAdapter) throws ResourceException {
        if (!(resourceAdapter instanceof SluiceResourceAdapter sluice)) {
            throw new ResourceException("Not the adapter of Sluice: " + resourceAdapter);
        }
        adapter = sluice;
        outages = new Outages();
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        logWriter = out;
    }

    @Override
    public PrintWriter getLogWriter() {
        return logWriter;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SluiceManagedConnectionFactory factory && factory.adapter == adapter;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(adapter);
    }
}
