package dev.sluice.it.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WakeUpIT {

    @Test
    @DisplayName("What is enqueued in a server is delivered there at once, long before the next poll")
    void wakes() throws Exception {
        Path folder = Files.createTempDirectory("wake");
        Path ear = TestApplication.write(TestApplication.ear(), folder);
        try (Site site = Site.open()) {
            LibertyServer server = site.server("a", ear, Map.of("SLUICE_POLL_INTERVAL", "60000"));
            server.start();
            site.awaitReady(server);
            site.awaitQueues("work");
            for (int i = 1; i <= 5; i++) {
                long begun = System.nanoTime();
                assertEquals(
                        200,
                        site.post(server, "/probe/enqueue?queue=work&kind=enter")
                                .statusCode());
                site.await(String.valueOf(i), "select count(*) from ledger");
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
                assertTrue(seconds < 20, "it took " + seconds + " s of a poll interval of 60");
            }
        } finally {
            Files.delete(ear);
            Files.delete(folder);
        }
    }
}
