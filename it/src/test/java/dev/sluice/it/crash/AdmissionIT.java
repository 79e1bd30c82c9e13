package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import jakarta.batch.runtime.BatchStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AdmissionIT {

    private static final String RUNNING =
            "select count(*) from pg_stat_activity where state = 'active' and query like '/* report=%'";

    private static final String COMPLETED =
            "(select count(*) from batch.jobexecution where batchstatus = " + BatchStatus.COMPLETED.ordinal() + ")";

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
    @DisplayName("Two servers and a limit of 1: pg_stat_activity never shows two reports")
    void oneAtATime() throws Exception {
        LibertyServer a = site.start("a");
        LibertyServer b = site.start("b");
        site.execute("select sluice.define_budget('reports', 1)");
        for (int i = 0; i < 4; i++) {
            assertEquals(200, site.post(a, "/probe/report").statusCode());
            assertEquals(200, site.post(b, "/probe/report").statusCode());
        }
        assertEquals(1, mostAtOnceUntil(COMPLETED + " = 8"));
        site.await("0", "select count(*) from sluice.permit");
    }

    @Test
    @DisplayName(
            "A server is killed while its report runs: its permit comes free, and never before its query has ended")
    void killedHolder() throws Exception {
        LibertyServer a = site.start("a");
        LibertyServer b = site.start("b");
        site.execute("select sluice.define_budget('reports', 1)");
        // long enough to be killed in
        site.post(a, "/probe/report?report=long-pause");
        site.await("1", RUNNING);
        site.post(b, "/probe/report");
        site.await("1", "select count(*) from sluice.permit where granted_at is null");
        a.kill();
        assertEquals("1", site.query(RUNNING), "the backend of a killed server works on");
        assertEquals(1, mostAtOnceUntil(COMPLETED + " = 1"));
        site.await("0", "select count(*) from sluice.permit");
    }

    /** Watches until this is true; returns the most reports that were seen at once. */
    private int mostAtOnceUntil(String done) throws SQLException, InterruptedException {
        int most = 0;
        try (Connection connection = site.postgres().connect("work");
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 2_000; i++) {
                most = Math.max(most, Integer.parseInt(first(statement, RUNNING)));
                if ("t".equals(first(statement, "select " + done))) {
                    return most;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        throw new AssertionError("the reports did not end");
    }

    private static String first(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            assertTrue(row.next());
            return row.getString(1);
        }
    }
}
