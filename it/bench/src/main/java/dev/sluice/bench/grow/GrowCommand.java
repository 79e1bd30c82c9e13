package dev.sluice.bench.grow;

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

/** What a claim and an enqueue take while more and more jobs wait in the same queue. */
@Command(
        name = "grow",
        description =
                "How long a claim and an enqueue take while 10 thousand, 100 thousand, 1 million and 10 million jobs "
                        + "wait in the same queue. The largest needs about 10 GB of disk.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class GrowCommand extends BenchCommand {

    private static final int MOST_BATCH = 50;
    private static final String STEADY = "a few jobs come and go at a steady rate";

    private static final Map<String, String> UNUSED = new TreeMap<>(Map.of(
            "--rate", STEADY,
            "--producers", STEADY,
            "--workers", STEADY,
            "--work-ms", STEADY,
            "--commit-lag-ms", "an enqueue is a transaction",
            "--queues", "all jobs wait in one",
            "--liberty", "no server is started"));

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "10000000",
            converter = WholeNumber.Jobs.class,
            description = "Jobs that wait at the end, 100000 at least; fewer where --seconds leaves no time for them "
                    + "(${DEFAULT-VALUE}).")
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
            throw options.refusal("Invalid value for option '--through': allowed is engine, whose claims are timed");
        }
        if (jobs < Sizes.SECOND) {
            throw options.refusal("Invalid value for option '--jobs': allowed is a whole number from " + Sizes.SECOND
                    + ", since two sizes are compared, not \"" + jobs + "\"");
        }
        if (options.batch() > MOST_BATCH) {
            throw options.refusal(
                    "Invalid value for option '--batch': allowed is a whole number from 1 to " + MOST_BATCH
                            + ", since what is claimed is enqueued again one by one, not \"" + options.batch() + "\"");
        }
    }

    @Override
    protected void measure(Run run, Result result, Chart chart) throws Exception {
        new GrowMeasurement(run, new Sizes(jobs, run.options().secondsAsked())).measure(result, chart);
    }
}
