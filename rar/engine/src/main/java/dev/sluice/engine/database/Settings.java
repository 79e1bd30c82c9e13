package dev.sluice.engine.database;

import dev.sluice.api.SluiceException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.postgresql.Driver;

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
                value = setting.defaultValue();
            }
            if (!isBlank(value)) {
                values.put(setting, value);
            }
        }
        addFromLibpq(values, environment);
        Settings settings = new Settings(values);
        settings.check();
        return settings;
    }

    /** Host, database and role of libpq belong together: those of another configuration are not mixed with them. */
    private static void addFromLibpq(Map<Setting, String> values, Map<String, String> environment) {
        String host = environment.get("PGHOST");
        String user = environment.get("PGUSER");
        String database = isBlank(environment.get("PGDATABASE")) ? user : environment.get("PGDATABASE");
        if (values.containsKey(Setting.URL) || isBlank(host) || isBlank(database)) {
            return;
        }
        String port = isBlank(environment.get("PGPORT")) ? "5432" : environment.get("PGPORT");
        values.put(Setting.URL, "jdbc:postgresql://" + host + ":" + port + "/" + database);
        if (!isBlank(user)) {
            values.putIfAbsent(Setting.USER, user);
        }
        if (!isBlank(environment.get("PGPASSWORD"))) {
            values.putIfAbsent(Setting.PASSWORD, environment.get("PGPASSWORD"));
        }
    }

    private void check() {
        String url = values.get(Setting.URL);
        if (url != null && (!url.startsWith("jdbc:postgresql:") || Driver.parseURL(url, null) == null)) {
            throw new SluiceException(
                    "Setting " + Setting.URL + " is not of the form jdbc:postgresql://host:port/database but \""
                            + withoutParameters(url) + "\"");
        }
        String migrate = values.get(Setting.MIGRATE);
        if (!migrate.equals("true") && !migrate.equals("false")) {
            throw new SluiceException("Setting " + Setting.MIGRATE + " is true or false, not \"" + migrate + "\"");
        }
        try {
            schema();
        } catch (SluiceException e) {
            throw new SluiceException("Setting " + Setting.SCHEMA + " is not a name: " + e.getMessage(), e);
        }
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

    /** The URL without its parameters, of which any may be a secret, and without what stands before an @. */
    public static String withoutParameters(String url) {
        return url.replaceFirst("\\?.*", "").replaceFirst("//.*@", "//");
    }

    private static boolean isBlank(String value) {
        return value == null || value.isBlank();
    }

    /** Never shows the password. */
    @Override
    public String toString() {
        Map<Setting, String> shown = new EnumMap<>(values);
        shown.computeIfPresent(Setting.PASSWORD, (setting, value) -> "***");
        shown.computeIfPresent(Setting.URL, (setting, value) -> withoutParameters(value));
        return shown.toString();
    }
}
