package dev.sluice.engine.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.SluiceException;
import dev.sluice.engine.Engine;
import dev.sluice.engine.QueueFixture;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    private static final String SECRET = "s3cret";

    private static String valid(Setting setting, int nth) {
        return switch (setting) {
            case URL -> "jdbc:postgresql://host" + nth + "/db";
            case MIGRATE -> nth % 2 == 0 ? "true" : "false";
            case NODE_TIMEOUT, POLL_INTERVAL -> String.valueOf(5_000 + nth);
            default -> "value" + nth;
        };
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    @DisplayName("server.xml goes before SLUICE_*, that before libpq's variables, those before the default")
    void precedence(Setting setting) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "PGHOST", "libpq", "PGDATABASE", "db", "PGUSER", "libpq", "PGPASSWORD", "libpq", "PGPORT", "1234"));
        Map<Setting, String> configured = new EnumMap<>(Setting.class);

        String fallback = switch (setting) {
            case URL -> "jdbc:postgresql://libpq:1234/db";
            case USER, PASSWORD -> "libpq";
            default -> setting.defaultValue();
        };
        assertEquals(fallback, Settings.of(configured, environment).get(setting));
        environment.put("SLUICE_" + setting.name(), valid(setting, 1));
        assertEquals(valid(setting, 1), Settings.of(configured, environment).get(setting));
        configured.put(setting, valid(setting, 2));
        assertEquals(valid(setting, 2), Settings.of(configured, environment).get(setting));
        configured.put(setting, " ");
        assertEquals(valid(setting, 1), Settings.of(configured, environment).get(setting), "blank is not configured");
        environment.put("SLUICE_" + setting.name(), "");
        assertEquals(fallback, Settings.of(configured, environment).get(setting), "blank is not configured");
    }

    @Test
    @DisplayName("There is no default host: what names no database is not configured")
    void noDefaultHost() {
        Settings nothing = Settings.of(Map.of(), Map.of());
        assertFalse(nothing.configured());
        assertNull(nothing.get(Setting.URL));
        assertFalse(
                Settings.of(Map.of(), Map.of("PGDATABASE", "db", "PGUSER", "u")).configured());
        assertFalse(Settings.of(Map.of(), Map.of("PGHOST", "h")).configured());
        assertTrue(
                Settings.of(Map.of(), Map.of("PGHOST", "h", "PGDATABASE", "db")).configured());
    }

    @Test
    @DisplayName("libpq's database defaults to its user, and its port to 5432")
    void libpqDefaults() {
        assertEquals(
                "jdbc:postgresql://h:5432/u",
                Settings.of(Map.of(), Map.of("PGHOST", "h", "PGUSER", "u")).get(Setting.URL));
        assertEquals(
                "jdbc:postgresql://h:5432/u",
                Settings.of(Map.of(), Map.of("PGHOST", "h", "PGUSER", "u", "PGDATABASE", "", "PGPORT", ""))
                        .get(Setting.URL),
                "blank is not set");
    }

    @Test
    @DisplayName("The defaults are valid")
    void defaults() {
        Settings settings = Settings.of(Map.of(), Map.of());
        assertEquals("sluice", settings.schema().name());
        assertTrue(settings.migrate());
        assertEquals(Duration.ofSeconds(15), settings.nodeTimeout());
        assertEquals(Duration.ofSeconds(1), settings.pollInterval());
    }

    @ParameterizedTest
    @CsvSource({
        "URL, localhost/db",
        "URL, jdbc:mysql://localhost/db",
        "MIGRATE, yes",
        "MIGRATE, TRUE",
        "SCHEMA, pg_x",
        "SCHEMA, a'b",
        "NODE_TIMEOUT, 999",
        "NODE_TIMEOUT, 15s",
        "NODE_TIMEOUT, -1",
        "NODE_TIMEOUT, 2147483648",
        "NODE_TIMEOUT, 99999999999999999999",
        "POLL_INTERVAL, 9",
        "POLL_INTERVAL, 1.5"
    })
    @DisplayName("A value that makes no sense is refused, and the error names the setting, its variable and the value")
    void refused(Setting setting, String value) {
        String message = assertThrows(SluiceException.class, () -> Settings.of(Map.of(setting, value), Map.of()))
                .getMessage();
        assertTrue(message.contains(setting.key()), message);
        assertTrue(message.contains(setting.variable()), message);
        assertTrue(message.contains("\"" + value + "\""), message);
        assertThrows(SluiceException.class, () -> Settings.of(Map.of(), Map.of(setting.variable(), value)));
    }

    @ParameterizedTest
    @CsvSource({"NODE_TIMEOUT, 1000", "NODE_TIMEOUT, 2147483647", "POLL_INTERVAL, 10", "POLL_INTERVAL, ' 20 '"})
    @DisplayName("The bounds themselves are allowed")
    void bounds(Setting setting, String value) {
        Settings settings = Settings.of(Map.of(setting, value), Map.of());
        Duration read = setting == Setting.NODE_TIMEOUT ? settings.nodeTimeout() : settings.pollInterval();
        assertEquals(Long.parseLong(value.trim()), read.toMillis());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h/db?password=" + SECRET,
                "jdbc:postgresql://h/db?user=u&password=" + SECRET + "&ssl=true",
                "jdbc:postgresql://h/db?sslpassword=x&password=" + SECRET,
                "jdbc:postgresql://h/db?password=x&sslpassword=" + SECRET,
                "jdbc:postgresql://h/db?PASSWORD=" + SECRET
            })
    @DisplayName("No text of the settings shows a password, whatever way it came")
    void noPassword(String url) {
        String shown = Settings.of(Map.of(Setting.URL, url, Setting.PASSWORD, SECRET), Map.of())
                .toString();
        assertFalse(shown.contains(SECRET), shown);
        assertTrue(shown.contains("//h/db"), "the rest is shown: " + shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://u:" + SECRET + "@h/db",
                "jdbc:mysql://h/db?password=" + SECRET,
                "jdbc:mysql://h/db?sslpassword=x&password=" + SECRET
            })
    @DisplayName("An error about the URL shows no password in it")
    void noPasswordInError(String url) {
        String message = assertThrows(SluiceException.class, () -> Settings.of(Map.of(Setting.URL, url), Map.of()))
                .getMessage();
        assertFalse(message.contains(SECRET), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://127.0.0.1:port/db?password=" + SECRET,
                "jdbc:postgresql://127.0.0.1:1/db?password=" + SECRET,
                "jdbc:postgresql://u:" + SECRET + "@127.0.0.1:1/db"
            })
    @DisplayName("The problem of an engine whose URL does not work shows no password in it")
    void noPasswordInProblem(String url) throws Exception {
        Engine engine = new Engine(() -> Settings.of(Map.of(Setting.URL, url), Map.of()));
        engine.start();
        try {
            QueueFixture.await(
                    () -> !"starting".equals(engine.status().problem()),
                    () -> engine.status().problem());
            assertFalse(
                    engine.status().problem().contains(SECRET), engine.status().problem());
        } finally {
            engine.stop(Duration.ofSeconds(10));
        }
    }

    @Test
    @DisplayName("Every setting has a name and a variable of its own, and says what it means")
    void described() {
        Set<String> names = new HashSet<>();
        for (Setting setting : Setting.values()) {
            assertTrue(names.add(setting.key()), setting.key());
            assertTrue(setting.key().matches("[a-z][a-zA-Z]*"), setting.key());
            assertEquals("SLUICE_" + setting.name(), setting.variable());
            assertFalse(setting.meaning().isBlank());
        }
    }
}
