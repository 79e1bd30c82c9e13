package dev.sluice.bench.commit;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.BenchCommand;
import dev.sluice.bench.run.Run;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;

/** What it costs to commit a handler's write together with its job. */
@Command(
        name = "commit",
        description =
                "How many jobs a second one server does with a handler that writes nothing, and with one that "
                        + "inserts a row: through sluice/ds, by Jakarta Persistence on it, and through a second XA data source.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CommitCommand extends BenchCommand {

    private static final String NO_PRODUCERS = "a backlog waits before the handlers are measured";

    private static final Map<String, String> UNUSED = new TreeMap<>(Map.of(
            "--rate", NO_PRODUCERS,
            "--producers", NO_PRODUCERS,
            "--commit-lag-ms", NO_PRODUCERS,
            "--queues", "each handler has a queue of its own",
            "--work-ms", "the handlers do nothing beside their insert"));

    @Override
    protected Map<String, String> unusedOptions() {
        return UNUSED;
    }

    @Override
    protected Through defaultThrough() {
        return Through.SERVER;
    }

    @Override
    protected void check(CommonOptions options) {
        if (options.through(Through.SERVER) != Through.SERVER) {
            throw options.refusal("Invalid value for option '--through': allowed is server, since commit compares what "
                    + "the container does");
        }
    }

    @Override
    protected void measure(Run run, Result result, Chart chart) throws Exception {
        new CommitMeasurement(run).measure(result, chart);
    }
}
