package dev.sluice.bench.drain;

import dev.sluice.bench.engine.EngineLog;
import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.measure.Catalogs;
import dev.sluice.bench.measure.CleanSlate;
import dev.sluice.bench.measure.Monitor;
import dev.sluice.bench.measure.QueueTables;
import dev.sluice.bench.measure.Roster;
import dev.sluice.bench.option.ClaimMode;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.run.Run;
import dev.sluice.bench.site.Database;
import dev.sluice.engine.database.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Has every contender empty a backlog in turn, in rounds with another order each time, so that what the machine does
 * besides falls on all of them.
 */
final class DrainMeasurement {

    private static final int SECONDS = 900;
    private static final int WORKERS = 8;

    /** Part of the run that is not counted, since code is still being compiled; so many seconds of it at most. */
    private static final double WARM_UP = 0.2;

    private static final double LONGEST_WARM_UP = 30;

    /** Rounds beyond the run's time, where backlogs were too small to measure. */
    private static final int MOST_FURTHER_ROUNDS = 3;

    private static final String DEFINE = "/* bench:define */ select sluice.define_queue(?)";

    private final CommonOptions options;
    private final Run run;
    private final Database database;
    private final int workers;
    private final int seconds;
    private final double warmUp;
    private final Sizes sizes;
    private final Map<Contender, Tally> tallies = new EnumMap<>(Contender.class);
    private final Map<Contender, Drainer> drainers = new EnumMap<>(Contender.class);

    /** @param jobs of a backlog at most */
    DrainMeasurement(Run run, int jobs) {
        this.run = run;
        this.options = run.options();
        this.database = run.site().database();
        this.workers = options.workers(WORKERS);
        for (Contender contender : Contender.values()) {
            tallies.put(contender, new Tally(contender.lists() ? Sizes.LISTS_GUESS : Sizes.SINGLE_GUESS));
        }
        this.seconds = options.seconds(SECONDS);
        this.warmUp = Math.min(LONGEST_WARM_UP, WARM_UP * seconds);
        this.sizes = new Sizes(jobs, tallies);
    }

    void measure(Result result, Chart chart) throws Exception {
        EngineLog.keepToWarnings();
        Settings settings = EngineNode.settings(database);
        // brings the schema
        EngineNode.start(settings, List.of()).close();
        try (Connection connection = database.connect(Database.QUEUE)) {
            QueueTables tables = new QueueTables(connection);
            OwnTable own = new OwnTable();
            TextbookTable textbook = new TextbookTable();
            enter(settings, connection, tables);
            enter(Contender.BARE_OWN, own, connection);
            enter(Contender.BARE_TEXTBOOK, textbook, connection);
            List<String> all = new ArrayList<>(tables.names());
            all.add(own.name());
            all.add(textbook.name());
            Roster roster = new Roster();
            run.watch(Catalogs.OF_SLUICE, roster);
            double begun = run.monitor().seconds();
            int rounds = rounds(new Emptying(new CleanSlate(connection, all), roster, workers * options.batch()));
            DrainReport report = new DrainReport(tallies);
            report.put(result);
            result.put("seconds", run.monitor().seconds() - begun, 1);
            result.put("rounds", rounds);
            result.put("workers", workers);
            result.put("batch", options.batch());
            result.put("payload_bytes", options.payloadBytes());
            report.putRounds(result);
            report.draw(chart);
        }
    }

    private void enter(Settings settings, Connection connection, QueueTables tables) throws SQLException {
        Backlog backlog = new Backlog(connection, payloads());
        for (Contender contender : Contender.values()) {
            ClaimMode mode = contender.mode();
            if (mode != null) {
                try (PreparedStatement define = connection.prepareStatement(DEFINE)) {
                    define.setString(1, contender.key());
                    define.execute();
                }
                drainers.put(
                        contender,
                        new EngineDrainer(contender, mode, workers, options.batch(), settings, backlog, tables));
            }
        }
    }

    private void enter(Contender contender, BareTable table, Connection connection) throws SQLException {
        drainers.put(contender, new BareDrainer(table, database, connection, payloads(), workers, options.batch()));
    }

    private Payloads payloads() {
        return new Payloads(options.payloadBytes(), options.seed());
    }

    /** Returns how many rounds count. */
    private int rounds(Emptying emptying) throws SQLException, InterruptedException, DishonestRunException {
        Monitor monitor = run.monitor();
        double begun = monitor.seconds();
        double roundBegun = begun;
        double lastRound = 0;
        int counted = 0;
        int further = 0;
        for (int round = 0; further <= MOST_FURTHER_ROUNDS; round++) {
            boolean warm = round > 0 && roundBegun - begun >= warmUp;
            Map<Contender, Integer> jobs = sizes.next(warm ? seconds - warmUp : warmUp);
            boolean counts = warm && sizes.grown();
            List<Contender> order = new ArrayList<>(List.of(Contender.values()));
            Collections.shuffle(order, new Random(options.seed() + (long) round));
            for (Contender contender : order) {
                monitor.phase(contender.key() + (counts ? "" : " (warm-up)"));
                Emptied emptied = emptying.of(drainers.get(contender), jobs.get(contender));
                tallies.get(contender).ended(emptied);
                if (counts && emptied.measured()) {
                    tallies.get(contender).count(emptied);
                }
            }
            counted += counts ? 1 : 0;
            lastRound = monitor.seconds() - roundBegun;
            roundBegun = monitor.seconds();
            if (roundBegun - begun + lastRound > seconds) {
                if (allMeasured()) {
                    return counted;
                }
                further++;
            }
        }
        throw new DishonestRunException(
                "not every backlog took long enough to be measured; give the run more --seconds or --jobs");
    }

    private boolean allMeasured() {
        return tallies.values().stream().noneMatch(tally -> tally.rates().isEmpty());
    }
}
