package dev.sluice.it.app;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the data sources share that take the server with them. */
final class Halt {

    private Halt() {}

    /** Halts the server, once, if the file named by the system property {@code halt.file} names this point. */
    static void at(String point) throws IOException {
        Path file = Path.of(System.getProperty("halt.file"));
        if (Files.exists(file) && Files.readString(file).equals(point)) {
            Files.delete(file);
            Runtime.getRuntime().halt(137);
        }
    }

    /** Calls the method, and throws what it throws. */
    static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
