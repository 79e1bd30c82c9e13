package dev.sluice.engine;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection whose every statement is explained as it was really run, nested ones included (auto_explain). */
public final class ExplainedConnection {

    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private final Connection connection;
    private final List<String> plans = new ArrayList<>();

    public ExplainedConnection(Connection physical) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            statement.execute("load 'auto_explain'; set auto_explain.log_min_duration = 0;"
                    + " set auto_explain.log_analyze = on; set auto_explain.log_buffers = on;"
                    + " set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;"
                    + " set auto_explain.log_level = notice");
        }
        connection = wrap(Connection.class, (proxy, method, arguments) -> {
            Object result = call(() -> method.invoke(physical, arguments));
            return result instanceof PreparedStatement statement ? explained(statement) : result;
        });
    }

    private PreparedStatement explained(PreparedStatement statement) {
        return wrap(PreparedStatement.class, (proxy, method, arguments) -> {
            Object result = call(() -> method.invoke(statement, arguments));
            if (method.getName().startsWith("execute")) {
                for (SQLWarning warning = statement.getWarnings();
                        warning != null;
                        warning = warning.getNextWarning()) {
                    plans.add(warning.getMessage());
                }
                statement.clearWarnings();
            }
            return result;
        });
    }

    private interface Call {
        Object make() throws Exception;
    }

    private static Object call(Call call) throws Throwable {
        try {
            return call.make();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T wrap(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(ExplainedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    public Connection connection() {
        return connection;
    }

    /** The plans since the last call that concern this text. */
    public List<String> takePlans(String text) {
        List<String> taken = plans.stream().filter(plan -> plan.contains(text)).toList();
        plans.clear();
        return taken;
    }

    /** The buffers that a plan touched: those of its root, which counts in all below. */
    public static long buffers(String plan) {
        Matcher matcher = BUFFERS.matcher(plan);
        if (!matcher.find()) {
            return 0;
        }
        long hit = matcher.group(1) == null ? 0 : Long.parseLong(matcher.group(1));
        long read = matcher.group(2) == null ? 0 : Long.parseLong(matcher.group(2));
        return hit + read;
    }
}
