package dev.sluice.bench.commit;

import dev.sluice.api.NodeStatus;
import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.measure.LedgerCheck;
import dev.sluice.bench.measure.Monitor;
import dev.sluice.bench.measure.WaitingJobs;
import dev.sluice.bench.measure.WalMeasure;
import dev.sluice.bench.measure.WalRecords;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.run.Run;
import dev.sluice.bench.site.BenchServer;
import dev.sluice.bench.site.Database;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Lets the handlers drain backlogs in turn, a few seconds each, in rounds with another order each time, so that what the
 * machine does besides falls on all of them.
 */
final class CommitMeasurement {

    private static final double LONGEST_TURN = 3;
    private static final int FEWEST_TURNS = 8;

    /** What passes in a turn until the server has found the backlog: it looks once a second. */
    private static final double OVERHEAD = 0.75;

    private static final double SHORTEST_WORK = 0.5;

    /** Part of the run that is not counted, since the server's code is still being compiled. */
    private static final double WARM_UP = 0.2;

    /** Rounds beyond the run's time, where backlogs were guessed too small to measure. */
    private static final int MOST_FURTHER_ROUNDS = 3;

    private static final Duration STATUS_LIMIT = Duration.ofSeconds(5);
    private static final long STATUS_POLL_MILLIS = 50;

    private final CommonOptions options;
    private final Run run;
    private final Database database;
    private final Map<Handler, Course> courses = new EnumMap<>(Handler.class);

    CommitMeasurement(Run run) {
        this.run = run;
        this.options = run.options();
        this.database = run.site().database();
        for (Handler handler : Handler.values()) {
            courses.put(handler, new Course());
        }
    }

    void measure(Result result, Chart chart) throws Exception {
        BenchServer server = run.startWatchedServer();
        try (Connection connection = database.connect(Database.QUEUE);
                WaitingJobs waiting = WaitingJobs.of(database)) {
            Payloads payloads = new Payloads(options.payloadBytes(), options.seed());
            Drain drain = new Drain(new Backlog(connection, payloads), waiting, options.workers() + options.batch());
            double begun = run.monitor().seconds();
            int rounds = rounds(drain, new WalMeasure(connection));
            double seconds = run.monitor().seconds() - begun;
            run.monitor().phase("counting");
            requireNothingSetAside(waiting);
            requireMeasured();
            report(result, lastStatus(server), seconds, rounds);
            draw(chart);
        }
    }

    /** Returns how many rounds count. */
    private int rounds(Drain drain, WalMeasure wal) throws SQLException, InterruptedException, DishonestRunException {
        Monitor monitor = run.monitor();
        double begun = monitor.seconds();
        double roundBegun = begun;
        double lastRound = 0;
        int counted = 0;
        int further = 0;
        for (int round = 0; further <= MOST_FURTHER_ROUNDS; round++) {
            boolean counts = round > 0 && roundBegun - begun >= WARM_UP * options.seconds();
            List<Handler> order = new ArrayList<>(List.of(Handler.values()));
            Collections.rotate(order, -(round + options.seed() % order.size()));
            for (Handler handler : order) {
                monitor.phase(counts ? handler.queue() : handler.queue() + " (warm-up)");
                turn(handler, counts, drain, wal);
            }
            counted += counts ? 1 : 0;
            lastRound = monitor.seconds() - roundBegun;
            roundBegun = monitor.seconds();
            if (roundBegun - begun + lastRound > options.seconds()) {
                if (allMeasured()) {
                    break;
                }
                further++;
            }
        }
        return counted;
    }

    private void turn(Handler handler, boolean counts, Drain drain, WalMeasure wal)
            throws SQLException, InterruptedException, DishonestRunException {
        double work =
                Math.max(SHORTEST_WORK, Math.min(LONGEST_TURN, (double) options.seconds() / FEWEST_TURNS) - OVERHEAD);
        Course course = courses.get(handler);
        Turn turn = drain.turn(handler.queue(), course.nextNumber(), course.jobsFor(work));
        course.ended(turn);
        if (counts && turn.measured()) {
            WalRecords records = wal.between(turn.first().wal(), turn.last().wal());
            course.count(turn, records);
        }
    }

    private static void requireNothingSetAside(WaitingJobs waiting) throws SQLException, DishonestRunException {
        WaitingJobs.SetAside failed = waiting.setAside();
        if (failed.scheduled() + failed.deadLetters() > 0) {
            throw new DishonestRunException(
                    "handlers failed: " + failed.scheduled() + " jobs wait for another attempt, " + failed.deadLetters()
                            + " are dead letters; the server's log says why");
        }
    }

    private boolean allMeasured() {
        return courses.values().stream().noneMatch(course -> course.rates().isEmpty());
    }

    private void requireMeasured() throws DishonestRunException {
        for (Handler handler : Handler.values()) {
            if (courses.get(handler).rates().isEmpty()) {
                throw new DishonestRunException("handler " + handler.queue() + " was never busy for long enough to be "
                        + "measured; give the run more --seconds");
            }
        }
        if (courses.get(Handler.TWOPHASE).wal().prepares() == 0) {
            throw new DishonestRunException(
                    "handler twophase prepared no transaction, so there was no two-phase commit to compare with");
        }
    }

    /** The server counts a job a moment after its transaction. */
    private static NodeStatus lastStatus(BenchServer server) throws IOException, InterruptedException {
        NodeStatus status = server.status();
        long deadline = System.nanoTime() + STATUS_LIMIT.toNanos();
        while (status.running() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(STATUS_POLL_MILLIS);
            status = server.status();
        }
        return status;
    }

    private void report(Result result, NodeStatus status, double seconds, int rounds) throws SQLException {
        for (Handler handler : Handler.values()) {
            result.put(handler.queue() + "_per_s", courses.get(handler).medianRate(), 1);
        }
        Course shared = courses.get(Handler.SHARED);
        Course twoPhase = courses.get(Handler.TWOPHASE);
        result.put("shared_over_twophase", shared.medianRate() / twoPhase.medianRate(), 3);
        result.put("commits_per_job", perJob(shared.wal().commits(), shared), 4);
        result.put("prepares_shared", shared.wal().prepares());
        putLedger(result);
        result.put("prepares_per_job_twophase", perJob(twoPhase.wal().prepares(), twoPhase), 4);
        result.put(
                "commits_per_job_noop",
                perJob(courses.get(Handler.NOOP).wal().commits(), courses.get(Handler.NOOP)),
                4);
        result.put(
                "enqueued",
                courses.values().stream().mapToLong(Course::enqueued).sum());
        result.put("delivered", status.delivered());
        result.put("failed", status.failed());
        result.put("claims", status.claims());
        result.put("claim_p50_ms", status.claimP50Millis(), 3);
        result.put("claim_p99_ms", status.claimP99Millis(), 3);
        result.put("seconds", seconds, 1);
        result.put("rounds", rounds);
        result.put("mode", options.mode().toString());
        result.put("workers", options.workers());
        result.put("batch", options.batch());
        result.put("payload_bytes", options.payloadBytes());
        for (Handler handler : Handler.values()) {
            result.put(handler.queue() + "_rounds", courses.get(handler).rates(), 1);
        }
    }

    private static double perJob(long records, Course course) {
        return (double) records / course.measuredJobs();
    }

    private void putLedger(Result result) throws SQLException {
        long lost = 0;
        long doubled = 0;
        long strange = 0;
        for (Handler handler : Handler.values()) {
            if (handler.ledger() != null) {
                try (Connection connection = database.connect(handler.ledger())) {
                    LedgerCheck.Finding finding = new LedgerCheck(connection)
                            .of(handler.queue(), courses.get(handler).enqueued());
                    lost += finding.lost();
                    doubled += finding.doubled();
                    strange += finding.strange();
                    result.put("lost_" + handler.queue(), finding.lost());
                    result.put("doubled_" + handler.queue(), finding.doubled());
                }
            }
        }
        result.put("lost", lost).put("doubled", doubled).put("strange", strange);
    }

    private void draw(Chart chart) {
        List<String> names =
                List.of(Handler.values()).stream().map(Handler::queue).toList();
        List<Double> medians = courses.values().stream().map(Course::medianRate).toList();
        chart.addBars("jobs/s by handler, median of the rounds", names, Map.of("jobs/s", medians));
    }
}
