package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.it.app.Gate;
import dev.sluice.launcher.LibertyServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {"leased", "transactional"})
class ServerDeathIT {

    @Parameter
    private String mode;

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
    @DisplayName("kill -9 with 50 jobs running: they are freed, none is lost, the ledger is exact")
    void killWithFiftyRunning() throws Exception {
        LibertyServer server = site.server("a", Map.of("SLUICE_MODE", mode));
        try (Connection gate = site.postgres().connect("work");
                Statement statement = gate.createStatement()) {
            statement.execute("select pg_advisory_lock(" + Gate.KEY + ")");
            server.start();
            site.awaitReady(server);
            site.awaitQueues("work");
            site.execute("select sluice.enqueue('work', 'gated') from generate_series(1, 50)");
            site.await(
                    "50",
                    "select count(*) from pg_locks where locktype = 'advisory' and objid = " + Gate.KEY
                            + " and not granted");
            assertEquals(
                    "50",
                    site.query("select count(*) from sluice.job where "
                            // leased, or taken by a transaction
                            + (mode.equals("leased") ? "lease is not null" : "lease is null and taken_by <> 0")));
            server.kill();
        }
        assertEquals("0", site.query("select count(*) from ledger"));
        server.start();
        site.await("50", "select count(*) from ledger");
        site.await("0", "select count(*) from sluice.job");
        assertEquals("50", site.query("select count(distinct job) from ledger"));
        // the death of a node is not held against jobs that ran beside others
        assertEquals("1", site.query("select max(attempt) from ledger"));
        site.await("0", "select count(*) from sluice.claim");
    }

    @Test
    @DisplayName("A job that halts the server ends as a dead letter, and the jobs claimed with it do not")
    void jobThatHalts() throws Exception {
        LibertyServer server = site.server("a", Map.of("SLUICE_MODE", mode));
        server.start();
        site.awaitReady(server);
        site.awaitQueues("work");
        try (Connection gate = site.postgres().connect("work");
                Statement statement = gate.createStatement()) {
            // the neighbours run when the server goes down
            statement.execute("select pg_advisory_lock(" + Gate.KEY + ")");
            site.execute("select sluice.enqueue('work', 'gated') from generate_series(1, 5)");
            site.await(
                    "5",
                    "select count(*) from pg_locks where locktype = 'advisory' and objid = " + Gate.KEY
                            + " and not granted");
            site.execute("select sluice.enqueue('work', 'halt')");
            assertTrue(server.awaitExit(Duration.ofSeconds(60)), "the job halts the server");
        }
        int deaths = 1;
        while (site.query("select count(*) from sluice.dead_letter").equals("0")) {
            assertTrue(deaths <= 4, "once in company, then alone for each attempt");
            server.start();
            site.await(
                    "t",
                    "select exists (select from sluice.dead_letter) or not exists ("
                            + "select from sluice.node where seen_at > now() - interval '2.5 s')");
            if (!server.isAlive()) {
                deaths++;
            }
        }
        assertEquals(4, deaths);
        assertEquals("halt", site.query("select kind from sluice.dead_letter where error like '%died%'"));
        site.execute("select sluice.enqueue('work', 'enter', '{\"number\":1}')");
        site.await("6", "select count(distinct job) from ledger");
        assertEquals("6", site.query("select count(*) from ledger"));
        assertEquals("1", site.query("select max(attempt) from ledger"));
    }
}
