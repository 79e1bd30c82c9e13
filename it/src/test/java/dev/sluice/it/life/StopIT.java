package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StopIT {

    /** Nobody is taken for dead during the test: what a server leaves behind would stay there. */
    private static final Map<String, String> PATIENT =
            Map.of("SLUICE_NODE_TIMEOUT", "600000", "SLUICE_CONCURRENCY", "16");

    private static final int STOPS = 5;

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "A server stopped 5 times under load beside another: what ran ends or is put back at once, no job is lost,"
                    + " done twice or counted, and no warning is logged")
    void stops() throws Exception {
        Path ear = TestApplication.write(TestApplication.ear(), folder);
        try (Site site = Site.open()) {
            LibertyServer stopped = site.server("stopped", ear, PATIENT);
            LibertyServer other = site.server("other", ear, PATIENT);
            stopped.startWithoutWaiting();
            other.start();
            stopped.start();
            site.awaitReady(other);
            try (Load load = Load.start(site)) {
                for (int i = 0; i < STOPS; i++) {
                    stopped.startWithoutWaiting();
                    site.awaitReady(stopped);
                    site.await("2", "select count(*) from sluice.node");
                    site.await(
                            "2",
                            "select count(distinct node) from sluice.claim_1"
                                    + " where node in (select id from sluice.node)");
                    stopped.stop();
                    assertTrue(stopped.messages().contains("CWWKE0036I"), "it ended by itself, and was not killed");
                    assertEquals("1", site.query("select count(*) from sluice.node"), "it has signed off");
                    assertEquals(
                            "0",
                            site.query("select count(*) from sluice.job_1 where lease is not null and lease not in"
                                    + " (select lease from sluice.claim_1 where node in (select id from sluice.node))"),
                            "what it had claimed is free");
                }
            }
            Outcome.exact(site, stopped, other);
        }
    }
}
