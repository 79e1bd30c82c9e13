package dev.sluice.it.life;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.sluice.it.Complaints;
import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** What has to be true once the load has ended, whatever was done to the servers under it. */
final class Outcome {

    /** Job ids come from one sequence, and every job of these tests writes into the ledger. */
    private static final String ENQUEUED = "select last_value from sluice.job_id";

    private Outcome() {}

    /** Waits until nothing is left to do; then every job was done once, at its first attempt, and nobody complained. */
    static void exact(Site site, LibertyServer... servers) throws SQLException, InterruptedException, IOException {
        site.await("0", "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)");
        String enqueued = site.query(ENQUEUED);
        assertNotEquals("0", enqueued);
        assertEquals(enqueued, site.query("select count(distinct job) from ledger"), "none is lost");
        assertEquals(enqueued, site.query("select count(*) from ledger"), "none was done twice");
        assertEquals("0", site.query("select count(*) from sluice.dead_letter"));
        assertEquals("1", site.query("select max(attempt) from ledger"), "what was put back is not counted");
        for (LibertyServer server : servers) {
            assertEquals(List.of(), Complaints.of(server));
        }
    }
}
