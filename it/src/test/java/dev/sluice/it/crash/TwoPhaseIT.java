package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TwoPhaseIT {

    private Site site;

    @BeforeEach
    void open() throws Exception {
        site = Site.open();
    }

    @AfterEach
    void close() throws Exception {
        site.close();
    }

    /**
     * Open Liberty prepares in reverse order of enlistment and commits in it, so the other database is prepared first and
     * committed last: before its prepare nothing is prepared, after it one branch is, before its commit ours is committed
     * already, after it both are and only the log does not know.
     */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"before prepare", "after prepare", "before commit", "after commit"})
    @DisplayName(
            "A server halted in two-phase commit and started again: both databases agree and nothing stays prepared")
    void haltAndRecover(String point) throws Exception {
        LibertyServer server = site.start("a");
        site.awaitQueues("both");
        site.execute("select sluice.enqueue('both', 'enter') from generate_series(1, 20)");
        site.await("20", "select count(*) from ledger");
        site.await("0", "select count(*) from sluice.job");

        Files.writeString(site.haltFile(), point);
        site.execute("select sluice.enqueue('both', 'enter') from generate_series(1, 20)");
        assertTrue(server.awaitExit(Duration.ofSeconds(60)), "it halts " + point);
        server.start();
        site.await("40", "select count(distinct job) from ledger");
        site.await("0", "select count(*) from sluice.job");
        site.await("0", "select count(*) from pg_prepared_xacts");
        String jobs = "select string_agg(job::text, ' ' order by job) from ledger";
        assertEquals(site.query("work", jobs), site.query("other", jobs));
        assertEquals("40", site.query("select count(*) from ledger"));
    }
}
