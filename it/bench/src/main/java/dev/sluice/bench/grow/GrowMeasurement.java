package dev.sluice.bench.grow;

import dev.sluice.bench.engine.EngineLog;
import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.measure.Catalogs;
import dev.sluice.bench.measure.Monitor;
import dev.sluice.bench.measure.Roster;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.Run;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Fills a queue up to one size after the other, and looks at each what a claim and an enqueue take. */
final class GrowMeasurement {

    private final CommonOptions options;
    private final Run run;
    private final Database database;
    private final Sizes sizes;
    private final Roster roster = new Roster();
    private double secondsPerJob;

    GrowMeasurement(Run run, Sizes sizes) {
        this.run = run;
        this.options = run.options();
        this.database = run.site().database();
        this.sizes = sizes;
    }

    void measure(Result result, Chart chart) throws Exception {
        EngineLog.keepToWarnings();
        // brings the schema
        EngineNode.start(EngineNode.settings(database), List.of()).close();
        try (Connection connection = database.connect(Database.QUEUE)) {
            Payloads payloads = new Payloads(options.payloadBytes(), options.seed());
            Queue queue = new Queue(connection, payloads);
            run.watch(Catalogs.OF_SLUICE, roster);
            List<Look> looks =
                    looks(queue, new Looking(database, queue, payloads, roster, options.mode(), options.batch()));
            run.monitor().phase("counting");
            report(result, looks, queue);
            draw(chart, looks);
        }
    }

    private List<Look> looks(Queue queue, Looking looking) throws Exception {
        Monitor monitor = run.monitor();
        double begun = monitor.seconds();
        List<Look> looks = new ArrayList<>();
        Room room = new Room(options.payloadBytes());
        for (int size : sizes.all()) {
            double needed = (size - queue.waiting()) * secondsPerJob + sizes.look();
            if (!sizes.allow(size, monitor.seconds() - begun, needed)) {
                run.progress().println("There is no time for " + size + " waiting jobs: give the run more --seconds.");
                break;
            }
            if (options.url() == null && !looks.isEmpty() && !room.allows(size - queue.waiting())) {
                run.progress().println("There is no room for " + size + " waiting jobs in " + room + ".");
                break;
            }
            fill(queue, size);
            if (looks.isEmpty()) {
                monitor.phase("warm-up");
                looking.at(size, sizes.look());
            }
            monitor.phase(size + " waiting");
            looks.add(looking.at(size, sizes.look()));
        }
        return looks;
    }

    private void fill(Queue queue, int size) throws SQLException, InterruptedException {
        Monitor monitor = run.monitor();
        monitor.phase("filling to " + size);
        double begun = monitor.seconds();
        long jobs = size - queue.waiting();
        queue.fillTo(size);
        secondsPerJob = (monitor.seconds() - begun) / jobs;
    }

    private void report(Result result, List<Look> looks, Queue queue) throws SQLException {
        for (Look look : looks) {
            result.put("claim_p50_" + look.size(), look.claimP50(), 3);
            result.put("claim_p99_" + look.size(), look.claimP99(), 3);
            result.put("enqueue_p50_" + look.size(), look.enqueueP50(), 3);
            result.put("enqueue_p99_" + look.size(), look.enqueueP99(), 3);
        }
        Look smallest = looks.get(0);
        Look largest = looks.get(looks.size() - 1);
        result.put("slope", largest.claimP50() / smallest.claimP50(), 3);
        result.put("slope_enqueue", largest.enqueueP50() / smallest.enqueueP50(), 3);
        result.put("largest", largest.size());
        long left = queue.left();
        result.put("enqueued", queue.enqueued());
        result.put("delivered", queue.done());
        result.put("left", left);
        result.put("lost", Math.max(0, queue.waiting() - left));
        result.put("doubled", Math.max(0, left - queue.waiting()));
        for (Look look : looks) {
            result.put("claims_" + look.size(), look.claims());
        }
        result.put("look_seconds", sizes.look(), 1);
        result.put("mode", options.mode().toString());
        result.put("batch", options.batch());
        result.put("payload_bytes", options.payloadBytes());
    }

    private static void draw(Chart chart, List<Look> looks) {
        List<String> names =
                looks.stream().map(look -> look.size() + " waiting").toList();
        chart.addBars(
                "claim and enqueue by waiting jobs (ms)",
                names,
                Map.of(
                        "claim p50", looks.stream().map(Look::claimP50).toList(),
                        "claim p99", looks.stream().map(Look::claimP99).toList(),
                        "enqueue p50", looks.stream().map(Look::enqueueP50).toList(),
                        "enqueue p99", looks.stream().map(Look::enqueueP99).toList()));
    }
}
