package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.database.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two adapters in one JVM. */
@Timeout(60)
class NeighboursTest {

    private final List<Engine> engines = new ArrayList<>();
    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
    }

    @AfterEach
    void tearDown() throws Exception {
        for (Engine engine : engines) {
            stop(engine);
        }
        assertEquals(0, properties(), "they leave nothing behind");
        fixture.close();
    }

    private Engine start(String origin, Map<Setting, String> settings) throws InterruptedException {
        Engine engine = new Engine(() -> fixture.settings(settings), origin);
        engines.add(engine);
        engine.start();
        QueueFixture.awaitReady(engine);
        return engine;
    }

    private static void stop(Engine engine) throws InterruptedException {
        engine.stop(Duration.ofSeconds(5));
    }

    private static long properties() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("dev.sluice.adapter."))
                .count();
    }

    @Test
    @DisplayName(
            "Two adapters with one schema, however its server is called, are ready and name each other, until one stops")
    void sameSchema() throws Exception {
        Engine first = start("/first/sluice.jar", Map.of());
        assertNull(first.status().problem());
        Engine second =
                start("/second/sluice.jar", Map.of(Setting.URL, fixture.url().replace("127.0.0.1", "localhost")));
        for (Engine engine : engines) {
            String problem = engine.status().problem();
            assertTrue(
                    problem.contains("/first/sluice.jar")
                            && problem.contains("/second/sluice.jar")
                            && problem.contains("schema sluice"),
                    problem);
            assertTrue(engine.status().ready());
        }
        stop(second);
        assertNull(first.status().problem());
        second.start();
        QueueFixture.awaitReady(second);
        assertTrue(first.status().problem().contains("/second/sluice.jar"));
    }

    @Test
    @DisplayName("Adapters with a schema each are no problem")
    void differentSchemas() throws Exception {
        Engine first = start("/first/sluice.jar", Map.of());
        Engine second = start("/second/sluice.jar", Map.of(Setting.SCHEMA, "other"));
        assertNull(first.status().problem());
        assertNull(second.status().problem());
    }

    @Test
    @DisplayName("A role that may not ask for the identity of the server delivers all the same")
    void noRight() throws Exception {
        fixture.execute("revoke execute on function pg_control_system() from public");
        fixture.execute("create role blind_" + fixture.databaseName() + " login");
        fixture.execute("grant all on schema sluice to blind_" + fixture.databaseName());
        fixture.execute("grant all on all tables in schema sluice to blind_" + fixture.databaseName());
        fixture.execute("grant all on all sequences in schema sluice to blind_" + fixture.databaseName());
        Engine blind = start(
                "/blind/sluice.jar", Map.of(Setting.USER, "blind_" + fixture.databaseName(), Setting.MIGRATE, "false"));
        assertNull(blind.status().problem());
    }
}
