package dev.sluice.rar.ds;

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
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * What an application holds of the driver's statements, result sets and the like. They know the handle instead of the
 * driver's connection, which could end the transaction unseen, and do nothing in another transaction than that which they
 * were made in.
 */
final class Lent implements InvocationHandler {

    /** What leads to the driver's connection, or works with it later; of several that it is, the first is lent. */
    private static final List<Class<?>> TYPES = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            Array.class,
            Blob.class,
            Clob.class);

    private final ConnectionHandle handle;
    private final Connection madeOn;
    private final Object target;
    /** The statement of a result set, as the application knows it; null if it does not know it yet. */
    private final Object statement;

    private final StatementText text;

    private Lent(ConnectionHandle handle, Connection madeOn, Object target, Object statement, StatementText text) {
        this.handle = handle;
        this.madeOn = madeOn;
        this.target = target;
        this.statement = statement;
        this.text = text;
    }

    /**
     * What the application is to hold instead of this: the same, if it leads nowhere.
     *
     * @param madeOn    the physical connection that it is of
     * @param statement what the application holds of the statement that it comes of; null if of none
     * @param text      what a statement executes, if that is not said later
     */
    static Object of(ConnectionHandle handle, Connection madeOn, Object target, Object statement, StatementText text)
            throws SQLException {
        for (Class<?> type : TYPES) {
            if (type.isInstance(target)) {
                Lent lent = new Lent(handle, madeOn, target, statement, text);
                if (statement == null) {
                    handle.opened(lent.made());
                }
                return Proxy.newProxyInstance(Lent.class.getClassLoader(), new Class<?>[] {type}, lent);
            }
        }
        return target;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "getConnection":
                return handle;
            case "getStatement":
                return statement != null ? statement : lend(proxy, call(method, arguments));
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return target.toString();
            case "isWrapperFor":
                return ((Class<?>) arguments[0]).isInstance(proxy);
            case "unwrap":
                return unwrap(proxy, (Class<?>) arguments[0]);
            case "close", "free":
                Statement made = made();
                Object nothing = call(method, arguments);
                handle.closed(made);
                return nothing;
            default:
                requireItsTransaction(method, arguments);
                return lend(proxy, call(method, arguments));
        }
    }

    /** The driver's statement that this is or comes of; null if of none that is open. */
    private Statement made() throws SQLException {
        if (target instanceof ResultSet rows) {
            return rows.isClosed() ? null : rows.getStatement();
        }
        return target instanceof Statement own ? own : null;
    }

    private static Object unwrap(Object proxy, Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        throw Refusal.UNWRAP.error(type);
    }

    /** A result set needs no look: it is closed with its transaction, and there are many rows. */
    private void requireItsTransaction(Method method, Object[] arguments) throws SQLException {
        if (target instanceof Statement) {
            if (method.getName().startsWith("execute") || method.getName().equals("addBatch")) {
                handle.require(madeOn);
                boolean said = arguments != null && arguments.length > 0 && arguments[0] instanceof String;
                handle.executes(said ? StatementText.of((String) arguments[0]) : text);
            }
        } else if (!(target instanceof ResultSet)) {
            handle.require(madeOn);
        }
    }

    private Object lend(Object proxy, Object result) throws SQLException {
        return of(
                handle,
                madeOn,
                result,
                proxy instanceof Statement && result instanceof ResultSet ? proxy : null,
                StatementText.NONE);
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, driversOwn(arguments));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException error) {
                handle.failed(error);
            }
            throw e.getCause();
        }
    }

    /** The driver is given back what is its own, an array as the parameter of a statement, say. */
    private static Object[] driversOwn(Object[] arguments) {
        if (arguments == null) {
            return null;
        }
        Object[] own = arguments.clone();
        for (int i = 0; i < own.length; i++) {
            if (own[i] != null
                    && Proxy.isProxyClass(own[i].getClass())
                    && Proxy.getInvocationHandler(own[i]) instanceof Lent lent) {
                own[i] = lent.target;
            }
        }
        return own;
    }
}
