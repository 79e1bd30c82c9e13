package dev.sluice.rar.ds;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What an application holds of a statement: it knows its handle instead of the driver's connection, and works in the
 * transaction it was made in only.
 */
final class HandedStatement implements InvocationHandler {

    private final ConnectionHandle handle;
    private final Statement statement;
    private final Connection madeOn;
    private final String sql;

    /** @param sql what it executes; null if that is said later */
    HandedStatement(ConnectionHandle handle, Statement statement, Connection madeOn, String sql) {
        this.handle = handle;
        this.statement = statement;
        this.madeOn = madeOn;
        this.sql = sql;
    }

    <S extends Statement> S proxy(Class<S> type) {
        return type.cast(proxy(type, this));
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(HandedStatement.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "getConnection":
                return handle;
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "isWrapperFor":
                return ((Class<?>) arguments[0]).isInstance(proxy);
            case "unwrap":
                return unwrap(proxy, (Class<?>) arguments[0]);
            default:
                if (method.getName().startsWith("execute") || method.getName().equals("addBatch")) {
                    boolean said = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
                    handle.beforeExecute(madeOn, said ? (String) arguments[0] : sql);
                }
        }
        Object result = call(statement, method, arguments);
        return result instanceof ResultSet rows ? handed(rows, proxy) : result;
    }

    /** The driver's own statement leads to the driver's own connection, which could end the transaction unseen. */
    private static Object unwrap(Object proxy, Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLException("A statement of sluice/ds cannot be unwrapped to " + type.getName(), "0A000");
    }

    private Object handed(ResultSet rows, Object statementProxy) {
        return proxy(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "getStatement" -> statementProxy;
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(proxy);
            case "unwrap" -> unwrap(proxy, (Class<?>) arguments[0]);
            default -> call(rows, method, arguments);
        });
    }

    private Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException error) {
                handle.failed(error);
            }
            throw e.getCause();
        }
    }
}
