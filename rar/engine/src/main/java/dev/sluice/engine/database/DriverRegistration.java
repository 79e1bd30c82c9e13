package dev.sluice.engine.database;

import java.sql.SQLException;
import org.postgresql.Driver;

/**
 * The registration of our copy of pgjdbc with {@link java.sql.DriverManager}, which the driver makes when it is loaded and
 * needs to connect. It holds the driver's class loader, so whoever is loaded anew with each deployment ends it.
 */
public final class DriverRegistration {

    private DriverRegistration() {}

    /** Registers it again if that was ended; without effect on a driver that others brought. */
    public static void begin() {
        try {
            if (ours() && !Driver.isRegistered()) {
                Driver.register();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("pgjdbc could not be registered", e);
        }
    }

    /** Ends it; without effect on a driver that others brought. */
    public static void end() {
        try {
            if (ours() && Driver.isRegistered()) {
                Driver.deregister();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("pgjdbc could not be deregistered", e);
        }
    }

    private static boolean ours() {
        return Driver.class.getClassLoader() == DriverRegistration.class.getClassLoader();
    }
}
