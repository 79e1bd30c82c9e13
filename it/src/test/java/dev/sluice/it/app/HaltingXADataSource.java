package dev.sluice.it.app;

import java.lang.reflect.Proxy;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.postgresql.xa.PGXADataSource;

/**
 * An XA data source of PostgreSQL that takes the server with it at a point of two-phase commit: before or after the call
 * that the file named by the system property {@code halt.file} names, once.
 */
public class HaltingXADataSource extends PGXADataSource {

    private static final long serialVersionUID = 1L;

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return wrap(super.getXAConnection());
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return wrap(super.getXAConnection(user, password));
    }

    private static XAConnection wrap(XAConnection connection) {
        return (XAConnection) Proxy.newProxyInstance(
                HaltingXADataSource.class.getClassLoader(),
                new Class<?>[] {XAConnection.class},
                (proxy, method, arguments) -> {
                    Object result = Halt.invoke(connection, method, arguments);
                    return result instanceof XAResource resource ? wrap(resource) : result;
                });
    }

    private static XAResource wrap(XAResource resource) {
        return (XAResource) Proxy.newProxyInstance(
                HaltingXADataSource.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    Halt.at("before " + method.getName());
                    Object result = Halt.invoke(resource, method, arguments);
                    Halt.at("after " + method.getName());
                    return result;
                });
    }
}
