package dev.sluice.it.app;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.postgresql.xa.PGXADataSource;

/**
 * An XA data source of PostgreSQL that takes the server with it at a point of two-phase commit: before or after the call
 * that the file named by the system property {@code halt.file} names, once. Which resource a transaction manager finishes
 * first does not matter: all are prepared before the first is committed.
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
                    Object result = invoke(connection, method, arguments);
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
                    haltIf("before " + method.getName());
                    Object result = invoke(resource, method, arguments);
                    haltIf("after " + method.getName());
                    return result;
                });
    }

    private static void haltIf(String point) throws IOException {
        Path file = Path.of(System.getProperty("halt.file"));
        if (Files.exists(file) && Files.readString(file).equals(point)) {
            Files.delete(file);
            Runtime.getRuntime().halt(137);
        }
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
