package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Load;
import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StopIT {

    private static final int STOPS = 5;

    /** Jobs that a server has claimed that is not there any more. */
    private static final String STRANDED = """
            select count(*) from sluice.job
            where lease is not null
              and lease not in (select lease from sluice.claim where node in (select id from sluice.node))""";

    /** Nobody is taken for dead during the test: what a server leaves behind would stay there. */
    private static Map<String, String> patient(String mode) {
        return Map.of("SLUICE_NODE_TIMEOUT", "600000", "SLUICE_CONCURRENCY", "16", "SLUICE_MODE", mode);
    }

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "Of two servers, one in each mode, one is stopped 5 times under load: what ran ends or is put back at once, no job is lost,"
                    + " done twice or counted, and no warning is logged")
    void stops() throws Exception {
        Path ear = TestApplication.write(TestApplication.ear(), folder);
        try (Site site = Site.open()) {
            List<LibertyServer> servers = List.of(
                    site.server("leased", ear, patient("leased")),
                    site.server("transactional", ear, patient("transactional")));
            servers.forEach(LibertyServer::startWithoutWaiting);
            servers.forEach(LibertyServer::start);
            site.awaitReady(servers.get(0));
            site.awaitQueues("work");
            try (Load load = Load.start(site, Load.WORK)) {
                for (int i = 0; i < STOPS; i++) {
                    LibertyServer stopped = servers.get(i % 2);
                    servers.forEach(LibertyServer::startWithoutWaiting);
                    for (LibertyServer server : servers) {
                        site.awaitReady(server);
                    }
                    site.await("2", "select count(*) from sluice.node");
                    String done = site.query("select count(*) from ledger");
                    site.await("t", "select count(*) > " + done + " + 100 from ledger");
                    stopped.stop();
                    assertTrue(stopped.messages().contains("CWWKE0036I"), "it ended by itself, and was not killed");
                    assertEquals("1", site.query("select count(*) from sluice.node"), "it has signed off");
                    assertEquals("0", site.query(STRANDED), "what it had claimed is free");
                }
            }
            Outcome.exact(site, servers.toArray(LibertyServer[]::new));
        }
    }
}
