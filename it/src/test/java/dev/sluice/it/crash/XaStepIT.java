package dev.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.it.FaultProxy;
import dev.sluice.it.FaultProxy.Hold;
import dev.sluice.it.FaultProxy.Moment;
import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import dev.sluice.launcher.StopMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each step of a job's transaction, held before PostgreSQL sees it and after PostgreSQL has answered, and then a fault. What
 * takes all connections with it is done once for all steps: each is held, with a job of its own, and they fall together.
 */
class XaStepIT {

    private enum Fault {
        CONNECTION("connection killed"),
        POSTGRES("PostgreSQL restarted"),
        SERVER("server killed");

        private final String title;

        Fault(String title) {
            this.title = title;
        }
    }

    /** A step that is held, of this job, on the connection with this port; no entry after the last is of its transaction. */
    private record Held(XaStep step, Moment moment, long job, Hold hold, int port, long lastEntry) {}

    private static final Path TABLE = Path.of(System.getProperty("logs")).resolveSibling("xa-steps.md");
    private static final List<String> LINES = new ArrayList<>(
            List.of("| mode | step | moment | fault | outcome | seconds until settled |", "|---|---|---|---|---|---|"));

    private Site site;
    private String mode;
    private LibertyServer server;
    private FaultProxy here;
    private FaultProxy there;
    private XaAudit audit;

    @BeforeEach
    void open() throws Exception {
        site = Site.open();
        here = new FaultProxy(site.postgres().port());
        there = new FaultProxy(site.postgres().port());
    }

    @AfterEach
    void close() throws Exception {
        site.close();
        here.close();
        there.close();
    }

    @AfterAll
    static void write() throws Exception {
        Files.write(TABLE, LINES);
        LINES.forEach(System.out::println);
    }

    @ParameterizedTest
    @ValueSource(strings = {"leased", "transactional"})
    @DisplayName("Whatever breaks at whatever step of a job's transaction, the job has its effects exactly once")
    void everyStepAndFault(String claimMode) throws Exception {
        mode = claimMode;
        server = site.server(
                mode,
                Map.of(
                        "SLUICE_URL", here.jdbcUrl("work"),
                        "OTHER_URL", there.jdbcUrl("other"),
                        "SLUICE_MODE", mode));
        server.start();
        site.awaitReady(server);
        site.awaitQueues("work", "both", "failing");
        audit = new XaAudit(site, server);
        for (Fault fault : Fault.values()) {
            everyStep(fault);
        }
    }

    private void everyStep(Fault fault) throws Exception {
        List<Held> together = new ArrayList<>();
        for (XaStep step : XaStep.values()) {
            for (Moment moment : Moment.values()) {
                if (applies(step, moment, fault)) {
                    together.add(hold(step, moment));
                }
                if (fault == Fault.CONNECTION && !together.isEmpty()) {
                    strike(fault, together);
                    together.clear();
                }
            }
        }
        if (!together.isEmpty()) {
            strike(fault, together);
        }
    }

    private boolean applies(XaStep step, Moment moment, Fault fault) {
        return switch (step) {
            // while other steps are held too, a job that is not even taken is taken by another worker
            case TAKE -> mode.equals("transactional") && (moment == Moment.AFTER || fault == Fault.CONNECTION);
            case ACKNOWLEDGE -> mode.equals("leased");
            // XAER_RMERR is what the driver makes of it when an administrator ends its session, and Open Liberty then
            // leaves the branch prepared for good (pgjdbc, issue 4438)
            case OTHER_COMMIT_PREPARED -> moment == Moment.AFTER || fault != Fault.CONNECTION;
            default -> true;
        };
    }

    /** Enqueues a job and waits until its transaction is held there. */
    private Held hold(XaStep step, Moment moment) throws Exception {
        FaultProxy proxy = step.there() ? there : here;
        long job;
        Hold hold;
        try (Connection connection = site.postgres().connect("work");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            job = audit.enqueue(step, statement);
            // nobody sees the job yet
            hold = proxy.hold(
                    step == XaStep.ROLLBACK_PREPARED ? Moment.AFTER : moment,
                    (step == XaStep.ROLLBACK_PREPARED ? XaStep.PREPARE : step).requests(job));
            connection.commit();
        }
        if (step == XaStep.ROLLBACK_PREPARED) {
            int port = hold.awaitHeld();
            Hold rollback = proxy.hold(moment, step.requests(job));
            killConnection(port);
            hold.drop();
            hold = rollback;
        }
        int port = hold.awaitHeld();
        return new Held(step, moment, job, hold, port, audit.lastEntry());
    }

    private void killConnection(int port) throws Exception {
        String backend = site.query("select pid from pg_stat_activity where client_port = " + port);
        site.execute("select pg_terminate_backend(" + backend + ")");
        site.await("0", "select count(*) from pg_stat_activity where pid = " + backend);
    }

    /** Lets the fault happen to what is held, amid other jobs, and waits until all is as it should be. */
    private void strike(Fault fault, List<Held> all) throws Exception {
        audit.enqueueOthers(20, 5);
        long begun = System.nanoTime();
        switch (fault) {
            case CONNECTION -> killConnection(all.get(0).port());
            case POSTGRES -> site.postgres().stop(StopMode.IMMEDIATE);
            case SERVER -> server.kill();
        }
        all.forEach(held -> held.hold().drop());
        // whichever is down
        site.postgres().start();
        server.start();
        String unsettled = audit.awaitSettled();
        String seconds = String.format(Locale.ROOT, "%.1f", (System.nanoTime() - begun) / 1e9);

        List<String> inexact = new ArrayList<>();
        for (Held held : all) {
            String wrong = audit.wrong(held.step(), held.job());
            String line = String.join(
                    " | ",
                    mode,
                    held.step().toString(),
                    held.moment().toString().toLowerCase(Locale.ROOT),
                    fault.title,
                    wrong == null ? audit.outcome(held.step(), held.job(), held.lastEntry()) : "NOT EXACT: " + wrong,
                    seconds);
            LINES.add("| " + line + " |");
            if (wrong != null) {
                inexact.add(line);
            }
        }
        assertEquals(List.of(), inexact, unsettled);
        assertNull(unsettled, fault.title + " in mode " + mode);
    }
}
