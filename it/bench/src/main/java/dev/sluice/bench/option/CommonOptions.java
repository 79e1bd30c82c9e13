package dev.sluice.bench.option;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all commands know. A command {@linkplain #restrict says} which of them mean nothing to it. */
public final class CommonOptions {

    private static final int DEFAULT_PRODUCERS = 32;
    private static final int MOST_PRODUCERS = 500;

    /** Jobs a second that as many as the default can enqueue on a busy machine. */
    private static final int PRODUCERS_HOLD = 800;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            converter = WholeNumber.Seconds.class,
            description =
                    "How long to measure, not counting starts and the last count. Default: 60, unless the command "
                            + "says otherwise.")
    private Integer seconds;

    @Option(
            names = "--rate",
            paramLabel = "JOBS_PER_S",
            defaultValue = "800",
            converter = WholeNumber.Rate.class,
            description = "Jobs that are enqueued each second (${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "leased",
            converter = Words.OfClaimMode.class,
            description = "How jobs are claimed: leased or transactional (${DEFAULT-VALUE}).")
    private ClaimMode mode;

    @Option(
            names = "--workers",
            paramLabel = "N",
            converter = WholeNumber.Workers.class,
            description = "Jobs that are handled at the same time (16 leased, 8 transactional and for drain).")
    private Integer workers;

    @Option(
            names = "--work-ms",
            paramLabel = "N",
            defaultValue = "10",
            converter = WholeNumber.Millis.class,
            description = "What a handler's transaction takes beside its writes, in ms (${DEFAULT-VALUE}).")
    private int workMillis;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "10",
            converter = WholeNumber.Batch.class,
            description = "Jobs of one claim at most (${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--producers",
            paramLabel = "N",
            converter = WholeNumber.Producers.class,
            description = "Connections that enqueue (32; for over 800 jobs/s 8 for each 100 of them).")
    private Integer producers;

    @Option(
            names = "--commit-lag-ms",
            paramLabel = "N",
            defaultValue = "40",
            converter = WholeNumber.Millis.class,
            description = "A producer commits 0 to N ms after its enqueue (${DEFAULT-VALUE}).")
    private int commitLagMillis;

    @Option(
            names = "--queues",
            paramLabel = "N",
            defaultValue = "1",
            converter = WholeNumber.Queues.class,
            description = "Queues that the jobs are spread over (${DEFAULT-VALUE}).")
    private int queues;

    @Option(
            names = "--payload-bytes",
            paramLabel = "N",
            defaultValue = "100",
            converter = WholeNumber.PayloadBytes.class,
            description = "Size of a payload (${DEFAULT-VALUE}).")
    private int payloadBytes;

    @Option(
            names = "--through",
            paramLabel = "WHAT",
            converter = Words.OfThrough.class,
            description =
                    "What handles the jobs: engine (without a server) or server (Open Liberty). Default: engine, or "
                            + "server where a command measures nothing else.")
    private Through through;

    @Option(
            names = "--url",
            paramLabel = "JDBC_URL",
            converter = JdbcUrl.Converter.class,
            description = "An existing PostgreSQL instead of an embedded one, with user and password "
                    + "(jdbc:postgresql://host:port/database?user=...&password=..., or PGUSER and PGPASSWORD). The bench "
                    + "makes the databases sluice_bench and sluice_bench_apart there and drops them at the end; it "
                    + "touches no other.")
    private JdbcUrl url;

    @Option(
            names = "--pg",
            paramLabel = "NAME=VALUE,...",
            converter = ServerParameters.Converter.class,
            description = "Parameters of the embedded PostgreSQL.")
    private ServerParameters parameters;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            converter = WholeNumber.Seed.class,
            description = "Of everything random, so that a run can be repeated (${DEFAULT-VALUE}).")
    private int seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where samples.csv, chart.svg and chart.png go. Default: results/COMMAND-TIME in the target "
                    + "folder of the build, or here if that is gone.")
    private Path out;

    @Option(
            names = "--liberty",
            paramLabel = "DIR",
            description = "Home of another Open Liberty than that of the build.")
    private Path liberty;

    /**
     * Takes options out of a command's help, since they mean nothing to it.
     *
     * @param unused the names, each with the reason
     */
    public static void restrict(CommandSpec command, Map<String, String> unused) {
        for (String name : unused.keySet()) {
            OptionSpec option = command.findOption(name);
            command.remove(option);
            command.addOption(OptionSpec.builder(option).hidden(true).build());
        }
    }

    /**
     * Refuses what makes no sense together, or for this command.
     *
     * @param unused as given to {@link #restrict}
     * @throws ParameterException if the command line has one of these; the message says why
     */
    public void check(Map<String, String> unused) {
        unused.forEach((name, reason) -> {
            if (given(name)) {
                throw refusal(command.name() + " does not use " + name + ": " + reason);
            }
        });
        if (url != null && parameters != null) {
            throw refusal("--pg sets parameters of the embedded PostgreSQL; it cannot go with --url");
        }
    }

    /** Whether the command line has this option. */
    public boolean given(String option) {
        return command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** What to throw when a value is refused; ends the program with status 2. */
    public ParameterException refusal(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    /** The command that they are for. */
    public String commandName() {
        return command.name();
    }

    public int seconds() {
        return seconds(60);
    }

    /** How long to measure; the argument if that was not said. */
    public int seconds(int otherwise) {
        return secondsAsked().orElse(otherwise);
    }

    /** How long to measure; empty if that was not said. */
    public OptionalInt secondsAsked() {
        return seconds == null ? OptionalInt.empty() : OptionalInt.of(seconds);
    }

    /** Jobs that are enqueued each second. */
    public int rate() {
        return rate;
    }

    public ClaimMode mode() {
        return mode;
    }

    /** Jobs that are handled at the same time. */
    public int workers() {
        return workers(mode.defaultWorkers());
    }

    /** Jobs that are handled at the same time; the argument if that was not said. */
    public int workers(int otherwise) {
        return workers != null ? workers : otherwise;
    }

    public int workMillis() {
        return workMillis;
    }

    /** Jobs of one claim at most. */
    public int batch() {
        return batch;
    }

    /** Connections that enqueue. If that was not said, each is given 80 ms a job where the rate is high. */
    public int producers() {
        if (producers != null) {
            return producers;
        }
        return rate <= PRODUCERS_HOLD ? DEFAULT_PRODUCERS : Math.min(MOST_PRODUCERS, rate * 8 / 100);
    }

    public int commitLagMillis() {
        return commitLagMillis;
    }

    public int queues() {
        return queues;
    }

    public int payloadBytes() {
        return payloadBytes;
    }

    /** What handles the jobs; the argument if that was not said. */
    public Through through(Through otherwise) {
        return through != null ? through : otherwise;
    }

    /** The existing server; null for an embedded one. */
    public JdbcUrl url() {
        return url;
    }

    /** Parameters of the embedded server. */
    public ServerParameters parameters() {
        return parameters != null ? parameters : ServerParameters.NONE;
    }

    public int seed() {
        return seed;
    }

    /** Where results go; null if that was not said. */
    public Path out() {
        return out;
    }

    /** The home of Open Liberty; null for that of the build. */
    public Path liberty() {
        return liberty;
    }
}
