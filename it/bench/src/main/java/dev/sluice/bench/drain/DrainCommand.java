package dev.sluice.bench.drain;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.option.WholeNumber;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.BenchCommand;
import dev.sluice.bench.run.Run;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How fast a backlog is emptied by handlers that do nothing, and how fast by bare SQL. */
@Command(
        name = "drain",
        description =
                "How many jobs a second leave a backlog with handlers that do nothing, single jobs and lists, leased "
                        + "and transactional; and, in the same run, with bare SQL.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DrainCommand extends BenchCommand {

    private static final String NO_PRODUCERS = "a backlog waits before it is emptied";

    private static final Map<String, String> UNUSED = new TreeMap<>(Map.of(
            "--rate", NO_PRODUCERS,
            "--producers", NO_PRODUCERS,
            "--commit-lag-ms", NO_PRODUCERS,
            "--queues", "each handler has a queue of its own",
            "--work-ms", "the handlers do nothing",
            "--mode", "both are measured",
            "--liberty", "no server is started"));

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "500000",
            converter = WholeNumber.Jobs.class,
            description =
                    "Jobs of a backlog at most; fewer where --seconds leaves no time for them (${DEFAULT-VALUE}).")
    private int jobs;

    @Override
    protected Map<String, String> unusedOptions() {
        return UNUSED;
    }

    @Override
    protected Through defaultThrough() {
        return Through.ENGINE;
    }

    @Override
    protected void check(CommonOptions options) {
        if (options.through(Through.ENGINE) != Through.ENGINE) {
            throw options.refusal(
                    "Invalid value for option '--through': allowed is engine, since drain compares it with "
                            + "bare SQL");
        }
    }

    @Override
    protected void measure(Run run, Result result, Chart chart) throws Exception {
        new DrainMeasurement(run, jobs).measure(result, chart);
    }
}
