package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What docs/data-sources.md says of the data source without XA. */
class OnePhaseIT {

    private static final String DATA_SOURCE = """
            <server>
              <dataSource jndiName="jdbc/onePhase" type="javax.sql.ConnectionPoolDataSource">
                <jdbcDriver libraryRef="halting"
                            javax.sql.ConnectionPoolDataSource="dev.sluice.it.app.HaltingOnePhaseDataSource"/>
                <properties.postgresql URL="${SLUICE_URL}" user="${SLUICE_USER}" password="${SLUICE_PASSWORD}"/>
              </dataSource>
            </server>
            """;

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
            "A job that wrote through a data source without XA runs again when its server dies right after that committed")
    void atLeastOnce() throws Exception {
        LibertyServer server = site.server("a");
        Path overrides = Files.createDirectories(
                server.serverDirectory().resolve("configDropins").resolve("overrides"));
        Files.writeString(overrides.resolve("one-phase.xml"), DATA_SOURCE);
        server.start();
        site.awaitReady(server);
        site.awaitQueues("both");
        site.execute("select sluice.enqueue('both', 'onePhase') from generate_series(1, 5)");
        site.await("0", "select count(*) from sluice.job");
        assertEquals("5", site.query("select count(*) from ledger"));

        Files.writeString(site.haltFile(), "after commit");
        site.execute("select sluice.enqueue('both', 'onePhase')");
        assertTrue(server.awaitExit(Duration.ofSeconds(60)), "it halts");
        server.start();
        site.await("0", "select count(*) from sluice.job");
        site.await("0", "select count(*) from pg_prepared_xacts");

        assertEquals("2", site.query("select count(*) from ledger where job = (select max(job) from ledger)"));
    }
}
