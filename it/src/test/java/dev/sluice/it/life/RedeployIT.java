package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.ApplicationControl;
import dev.sluice.it.Document;
import dev.sluice.it.Load;
import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedeployIT {

    private static final int TIMES = 10;

    /** Collections of garbage until what holds what is out of the way too. */
    private static final int COLLECTIONS = 20;

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"leased", "transactional"})
    @DisplayName(
            "An EAR with the adapter in it, redeployed 10 times under load: no job is lost, done twice or counted, no"
                    + " warning is logged, and the classes of the old adapters go")
    void redeploys(String mode) throws Exception {
        Path ear = TestApplication.write(TestApplication.ear(), folder);
        try (Site site = Site.open()) {
            // the JDK keeps what it found out about a class for as long as there is memory
            LibertyServer server = site.server(
                    "redeploy-" + mode,
                    Document.of("docs/shapes.md").section("One EAR").serverXml(),
                    Map.of("shop.ear", ear),
                    Map.of("SLUICE_CONCURRENCY", "16", "SLUICE_MODE", mode),
                    "-XX:SoftRefLRUPolicyMSPerMB=0");
            server.start();
            site.awaitReady(server);
            site.awaitQueues("work");
            try (Load load = Load.start(site, Load.WORK)) {
                for (int i = 0; i < TIMES; i++) {
                    ApplicationControl.replace(server, "sluice", ear, "shop.ear");
                    awaitProgress(site);
                }
            }
            Outcome.exact(site, server);
            assertEquals("1", site.query("select count(*) from sluice.node"), "each adapter has signed off");
            site.awaitReady(server);
            // the one that runs, and the first: Open Liberty's logger of a name holds the class it was first made for
            long loaded = adaptersLoaded(server);
            for (int i = 0; i < COLLECTIONS && loaded > 2; i++) {
                loaded = adaptersLoaded(server);
            }
            assertTrue(loaded <= 2, loaded + " adapters are loaded");
        }
    }

    private static void awaitProgress(Site site) throws Exception {
        String done = site.query("select count(*) from ledger");
        site.await("t", "select count(*) > " + done + " from ledger");
    }

    /** Collects garbage; in how many class loaders there is an adapter then: each has its array of an enumeration's values. */
    private static long adaptersLoaded(LibertyServer server) throws IOException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(server.pid()),
                        "GC.class_histogram")
                .start();
        try (var lines = jcmd.inputReader()) {
            return lines.lines()
                    .filter(line -> line.contains("[Ldev.sluice.engine.database.Setting;"))
                    .count();
        }
    }
}
