package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PauseIT {

    private static final String BEAN = "sluice#handlers.jar#WorkJobs";
    private static final String WAITING = "select count(*) from sluice.job where queue = 'work' and lease is null";

    @Test
    @DisplayName("While a bean is paused its jobs wait and others run; resumed, it does them; and so a second time")
    void pauses() throws Exception {
        try (Site site = Site.open()) {
            LibertyServer server = site.start("pause");
            site.awaitQueues("work", "both");
            int done = 0;
            for (int time = 1; time <= 2; time++) {
                server.pause(BEAN);
                site.execute("select sluice.enqueue('work', 'busy', '0') from generate_series(1, 20)");
                // they are claimed after those of the paused bean, if those are claimed
                site.execute("select sluice.enqueue('both', 'enter') from generate_series(1, 20)");
                done += 20;
                site.await(String.valueOf(done), "select count(*) from ledger");
                assertEquals("20", site.query(WAITING));
                assertEquals(200, site.readiness(server), "a paused bean is no problem of the server");

                server.resume(BEAN);
                done += 20;
                site.await(String.valueOf(done), "select count(*) from ledger");
            }
            Outcome.exact(site, server);
        }
    }
}
