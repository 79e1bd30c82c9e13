package dev.sluice.bench.pin;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.option.Words;
import dev.sluice.bench.queue.QueueChoice;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.BenchCommand;
import dev.sluice.bench.run.Run;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What becomes of a queue while somebody holds the MVCC horizon back. */
@Command(
        name = "pin",
        description =
                "A queue under load: without a pin to half of the run, then with one to its end. At four fifths a node "
                        + "is killed, and another starts.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class PinCommand extends BenchCommand {

    private static final int FEWEST_SECONDS = 20;

    static final class PinWord extends Words<PinKind> {
        PinWord() {
            super(PinKind.values());
        }
    }

    static final class QueueWord extends Words<QueueChoice> {
        QueueWord() {
            super(QueueChoice.values());
        }
    }

    @Option(
            names = "--pin",
            paramLabel = "PIN",
            required = true,
            converter = PinWord.class,
            description = "What holds the horizon back: snapshot, xid, prepared, otherdb or reader.")
    private PinKind pin;

    @Option(
            names = "--queue",
            paramLabel = "QUEUE",
            defaultValue = "sluice",
            converter = QueueWord.class,
            description =
                    "What is measured: sluice, plain (the textbook's queue) or que (that of 2015) (${DEFAULT-VALUE}).")
    private QueueChoice queue;

    @Option(names = "--mix", description = "Jobs with priorities and delays, and 5% that fail the first time.")
    private boolean mix;

    @Override
    protected Map<String, String> unusedOptions() {
        return Map.of();
    }

    @Override
    protected Through defaultThrough() {
        return Through.ENGINE;
    }

    @Override
    protected void check(CommonOptions options) {
        if (options.seconds() < FEWEST_SECONDS) {
            throw options.refusal("Invalid value for option '--seconds': pin has four parts, so it needs "
                    + FEWEST_SECONDS + " at least");
        }
        boolean server = options.through(Through.ENGINE) == Through.SERVER;
        if (queue != QueueChoice.SLUICE && (server || mix || options.given("--mode"))) {
            throw options.refusal("Invalid value for option '--queue': " + queue
                    + " has neither --mode nor --mix, and no --through server");
        }
        if (server && options.queues() != 1) {
            throw options.refusal("Invalid value for option '--queues': allowed with --through server is 1, since each "
                    + "handler there has a queue of its own");
        }
    }

    @Override
    protected void measure(Run run, Result result, Chart chart) throws Exception {
        PinPlan plan = new PinPlan(run.options(), pin, queue, mix, run.options().through(Through.ENGINE));
        try (PinMeasurement measurement = new PinMeasurement(run, plan)) {
            measurement.measure(result);
        }
    }
}
