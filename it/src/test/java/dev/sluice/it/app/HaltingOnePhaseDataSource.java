package dev.sluice.it.app;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.PooledConnection;
import org.postgresql.ds.PGConnectionPoolDataSource;

/**
 * A data source of PostgreSQL without two-phase commit that takes the server with it when it has committed, once, if the
 * file named by the system property {@code halt.file} is there.
 */
public class HaltingOnePhaseDataSource extends PGConnectionPoolDataSource {

    private static final long serialVersionUID = 1L;

    @Override
    public PooledConnection getPooledConnection() throws SQLException {
        return wrap(super.getPooledConnection());
    }

    @Override
    public PooledConnection getPooledConnection(String user, String password) throws SQLException {
        return wrap(super.getPooledConnection(user, password));
    }

    private static PooledConnection wrap(PooledConnection pooled) {
        return (PooledConnection) Proxy.newProxyInstance(
                HaltingOnePhaseDataSource.class.getClassLoader(),
                new Class<?>[] {PooledConnection.class},
                (proxy, method, arguments) -> {
                    Object result = invoke(pooled, method, arguments);
                    return result instanceof Connection connection ? wrap(connection) : result;
                });
    }

    private static Connection wrap(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                HaltingOnePhaseDataSource.class.getClassLoader(),
                connection.getClass().getInterfaces(),
                (proxy, method, arguments) -> {
                    Object result = invoke(connection, method, arguments);
                    Path file = Path.of(System.getProperty("halt.file"));
                    if (method.getName().equals("commit") && Files.exists(file)) {
                        Files.delete(file);
                        Runtime.getRuntime().halt(137);
                    }
                    return result;
                });
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
