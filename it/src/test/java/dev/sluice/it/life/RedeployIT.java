package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.ApplicationControl;
import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedeployIT {

    /** Through the MBean it takes a second; a new archive is found seconds later. */
    private static final int RESTARTS = 0;

    private static final int REPLACEMENTS = 20;

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "An EAR with the adapter in it, redeployed 20 times under load: no job is lost, done twice or counted, no"
                    + " warning is logged, and the classes of the old adapters go")
    void redeploys() throws Exception {
        Path ear = TestApplication.write(TestApplication.ear(), folder);
        try (Site site = Site.open()) {
            // the JDK keeps what it found out about a class for as long as there is memory
            LibertyServer server =
                    site.server("redeploy", ear, Map.of("SLUICE_CONCURRENCY", "16"), "-XX:SoftRefLRUPolicyMSPerMB=0");
            server.start();
            site.awaitReady(server);
            site.await("t", "select exists (select from sluice.queue where name = 'work')");
            try (Load load = Load.start(site)) {
                for (int i = 0; i < RESTARTS + REPLACEMENTS; i++) {
                    if (i < RESTARTS) {
                        ApplicationControl.restart(server, "sluice");
                    } else {
                        ApplicationControl.replace(server, "sluice", ear, "sluice.ear");
                    }
                    awaitProgress(site);
                }
            }
            Outcome.exact(site, server);
            assertEquals("1", site.query("select count(*) from sluice.node"), "each adapter has signed off");
            site.awaitReady(server);
            // the one that runs, and what Open Liberty keeps: a logger holds the class that it was first made for
            long loaded = adaptersLoaded(server);
            assertTrue(loaded <= 2, loaded + " adapters are loaded");
        }
    }

    private static void awaitProgress(Site site) throws Exception {
        String done = site.query("select count(*) from ledger");
        site.await("t", "select count(*) > " + done + " from ledger");
    }

    /** In how many class loaders there is an adapter: each has an array of the values of an enumeration. */
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
