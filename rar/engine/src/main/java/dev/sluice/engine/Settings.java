package dev.sluice.engine;

import dev.sluice.api.SluiceException;
import dev.sluice.engine.schema.Schema;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The values of all {@linkplain Setting settings}, checked. Taken from server.xml, else from {@code SLUICE_*}, else from
 * libpq's variables ({@code PGHOST} and so on), else the default. There is no default host: what names no database is
 * not configured yet.
 */
public final class Settings {

    private final Map<Setting, String> values;

    private Settings(Map<Setting, String> values) {
        this.values = values;
    }

    /**
     * @param configured  what server.xml says; a missing or blank value is not configured
     * @param environment the environment's variables
     * @throws SluiceException if a value makes no sense; names the setting, the value and what is allowed
     */
    public static Settings of(Map<Setting, String> configured, Map<String, String> environment) {
        Map<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String value = configured.get(setting);
            if (isBlank(value)) {
                value = environment.get(setting.variable());
            }
            if (isBlank(value)) {
                value = fromLibpq(setting, environment);
            }
            if (isBlank(value)) {
                value = setting.defaultValue();
            }
            if (!isBlank(value)) {
                values.put(setting, value);
            }
        }
        Settings settings = new Settings(values);
        settings.check();
        return settings;
    }

    private static String fromLibpq(Setting setting, Map<String, String> environment) {
        return switch (setting) {
            case URL -> {
                String host = environment.get("PGHOST");
                String database = environment.getOrDefault("PGDATABASE", environment.get("PGUSER"));
                yield isBlank(host) || isBlank(database)
                        ? null
                        : "jdbc:postgresql://" + host + ":" + environment.getOrDefault("PGPORT", "5432") + "/"
                                + database;
            }
            case USER -> environment.get("PGUSER");
            case PASSWORD -> environment.get("PGPASSWORD");
            default -> null;
        };
    }

    private void check() {
        String url = values.get(Setting.URL);
        if (url != null && !url.startsWith("jdbc:postgresql:")) {
            throw new SluiceException("Setting " + Setting.URL + " does not begin with jdbc:postgresql: but is \""
                    + url.replaceFirst("(?i)password=[^&]*", "password=***") + "\"");
        }
        String migrate = values.get(Setting.MIGRATE);
        if (!migrate.equals("true") && !migrate.equals("false")) {
            throw new SluiceException("Setting " + Setting.MIGRATE + " is true or false, not \"" + migrate + "\"");
        }
        schema();
        nodeTimeout();
        pollInterval();
    }

    /** Whether a database is named. */
    public boolean configured() {
        return values.containsKey(Setting.URL);
    }

    /** The value; null if there is none. */
    public String get(Setting setting) {
        return values.get(setting);
    }

    public Schema schema() {
        return new Schema(values.get(Setting.SCHEMA));
    }

    public boolean migrate() {
        return Boolean.parseBoolean(values.get(Setting.MIGRATE));
    }

    public Duration nodeTimeout() {
        return millis(Setting.NODE_TIMEOUT, 1_000);
    }

    public Duration pollInterval() {
        return millis(Setting.POLL_INTERVAL, 10);
    }

    private Duration millis(Setting setting, long least) {
        String value = values.get(setting);
        try {
            long millis = Long.parseLong(value.trim());
            if (millis >= least && millis <= Integer.MAX_VALUE) {
                return Duration.ofMillis(millis);
            }
        } catch (NumberFormatException e) {
            // refused below, with the same words
        }
        throw new SluiceException("Setting " + setting + " is a number of milliseconds from " + least + ", not \""
                + value + "\": " + setting.meaning());
    }

    private static boolean isBlank(String value) {
        return value == null || value.isBlank();
    }

    /** Never shows the password. */
    @Override
    public String toString() {
        Map<Setting, String> shown = new EnumMap<>(values);
        shown.computeIfPresent(Setting.PASSWORD, (setting, value) -> "***");
        shown.computeIfPresent(
                Setting.URL, (setting, value) -> value.replaceFirst("(?i)password=[^&]*", "password=***"));
        return shown.toString();
    }
}
