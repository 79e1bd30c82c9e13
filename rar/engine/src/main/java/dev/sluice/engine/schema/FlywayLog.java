package dev.sluice.engine.schema;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;

/**
 * What Flyway logs, from warnings on. Its information holds the URL with all parameters, and so perhaps a password; what
 * matters of it the engine says itself.
 */
public final class FlywayLog implements Log, LogCreator {

    private static final Logger LOG = System.getLogger(FlywayLog.class.getName());

    @Override
    public Log createLogger(Class<?> type) {
        return this;
    }

    @Override
    @SuppressWarnings("deprecation")
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public void debug(String message) {}

    @Override
    public void info(String message) {}

    @Override
    public void notice(String message) {}

    @Override
    public void warn(String message) {
        LOG.log(Level.WARNING, message);
    }

    @Override
    public void error(String message) {
        LOG.log(Level.ERROR, message);
    }

    @Override
    public void error(String message, Exception cause) {
        LOG.log(Level.ERROR, message, cause);
    }
}
