package dev.sluice.it.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StartIT {

    private static final Path SLUICE_EAR = TestApplication.module("sluice.ear").toPath();

    private Site site;

    @BeforeEach
    void open() throws Exception {
        site = Site.open();
    }

    @AfterEach
    void close() throws Exception {
        site.close();
    }

    @Test
    @DisplayName("sluice.ear deploys alone, makes its schema, is ready, and says what it uses")
    void alone() throws Exception {
        LibertyServer server = site.server("a", SLUICE_EAR, Map.of());
        server.start();
        site.awaitReady(server);
        String line = server.awaitMessage("Sluice uses jdbc:postgresql:", Duration.ofSeconds(10));
        assertTrue(line.matches(".*/work on PostgreSQL 18\\..*, schema sluice, version \\d+.*"), line);
        assertEquals("1", site.query("select count(*) from sluice.node"));
        String status = site.get(server, "/sluice/api/status").body();
        assertTrue(status.contains("\"ready\":true"), status);

        server.stop();
        assertEquals("0", site.query("select count(*) from sluice.node"), "it signs off");
        assertEquals("0", site.query("select count(*) from pg_stat_activity where application_name like 'sluice%'"));
    }

    @Test
    @DisplayName("The handlers' line says queue, kinds, mode and concurrency")
    void handlers() throws Exception {
        LibertyServer server = site.start("a");
        String line = server.awaitMessage("Queue both is served", Duration.ofSeconds(30));
        assertTrue(line.contains("kinds enter, onePhase, leased, up to 50 at once"), line);
    }

    @Test
    @DisplayName(
            "A wrong URL or database: the application starts, health and log name it and the remedy, no password is shown")
    void wrongDatabase() throws Exception {
        LibertyServer server = site.server(
                "a",
                SLUICE_EAR,
                Map.of("SLUICE_URL", site.postgres().jdbcUrl("nowhere"), "SLUICE_PASSWORD", "very-secret"));
        server.start();
        String said = server.awaitMessage("Sluice delivers nothing", Duration.ofSeconds(60));
        assertTrue(said.contains("database \"nowhere\" does not exist. Create the database"), said);
        assertEquals(503, site.readiness(server));
        String health = site.get(server, "/health/ready").body();
        assertTrue(health.contains("nowhere"), health);
        assertFalse((server.messages() + health).contains("very-secret"));
    }
}
