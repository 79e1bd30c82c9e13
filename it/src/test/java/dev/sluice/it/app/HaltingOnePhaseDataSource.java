package dev.sluice.it.app;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.PooledConnection;
import org.postgresql.ds.PGConnectionPoolDataSource;

/**
 * A data source of PostgreSQL without two-phase commit that takes the server with it after the call to a connection that
 * the file named by the system property {@code halt.file} names, once.
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
                    Object result = Halt.invoke(pooled, method, arguments);
                    return result instanceof Connection connection ? wrap(connection) : result;
                });
    }

    private static Connection wrap(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                HaltingOnePhaseDataSource.class.getClassLoader(),
                connection.getClass().getInterfaces(),
                (proxy, method, arguments) -> {
                    Object result = Halt.invoke(connection, method, arguments);
                    Halt.at("after " + method.getName());
                    return result;
                });
    }
}
