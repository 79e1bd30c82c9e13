package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import dev.sluice.launcher.StopMode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DatabaseOutageIT {

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
    @DisplayName(
            "With PostgreSQL down at its start the server starts, says so, and delivers by itself once PostgreSQL is there")
    void downAtStart() throws Exception {
        LibertyServer server = site.server("a");
        site.postgres().stop(StopMode.FAST);
        server.start();
        server.awaitMessage("Sluice delivers nothing and tries again", Duration.ofSeconds(60));
        assertEquals(503, site.readiness(server));
        String health = site.get(server, "/health/ready").body();
        assertTrue(health.contains("SLUICE_URL"), health);

        site.postgres().start();
        site.awaitReady(server);
        site.awaitQueues("work");
        site.execute("select sluice.enqueue('work', 'enter', '{\"number\":1}')");
        site.await("1", "select count(*) from ledger");
        long said = server.messages()
                .lines()
                .filter(line -> line.contains("Sluice delivers nothing"))
                .count();
        assertTrue(said <= 2, "said " + said + " times");
    }

    @Test
    @DisplayName("PostgreSQL restarts twice under load: every job has its effect exactly once")
    void restartUnderLoad() throws Exception {
        site.start("a");
        site.awaitQueues("work");
        for (StopMode mode : new StopMode[] {StopMode.FAST, StopMode.IMMEDIATE}) {
            site.execute("select sluice.enqueue('work', 'enter', '{\"number\":1}') from generate_series(1, 1500)");
            site.await(
                    "t",
                    "select count(*) > 100 from ledger where job > "
                            + site.query("select coalesce(max(job), 0) from ledger"));
            site.postgres().restart(mode);
        }
        site.await("3000", "select count(distinct job) from ledger");
        site.await("0", "select count(*) from sluice.job");
        assertEquals("3000", site.query("select count(*) from ledger"));
        assertEquals("0", site.query("select count(*) from sluice.dead_letter"));
    }
}
