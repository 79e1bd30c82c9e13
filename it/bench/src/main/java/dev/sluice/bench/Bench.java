package dev.sluice.bench;

import dev.sluice.bench.commit.CommitCommand;
import dev.sluice.bench.drain.DrainCommand;
import dev.sluice.bench.grow.GrowCommand;
import dev.sluice.bench.node.NodeCommand;
import dev.sluice.bench.pin.PinCommand;
import dev.sluice.bench.run.BenchCommand;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.site.Installation;
import dev.sluice.bench.site.ParametersRefusedException;
import dev.sluice.bench.site.SiteException;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The measuring bench: {@code java -jar sluice-bench.jar COMMAND [options]}. What was measured is one JSON object, the last
 * line of standard output; it judges nothing.
 */
@Command(
        name = "sluice-bench",
        description = "Measures Sluice on a PostgreSQL and an Open Liberty that it starts itself.",
        versionProvider = Bench.Version.class,
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {CommitCommand.class, DrainCommand.class, GrowCommand.class, PinCommand.class, NodeCommand.class},
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:measured; the last line of standard output says what",
            "1:the run could not be made, or broke",
            "2:an option is wrong",
            "3:the run was made, but would not say the truth"
        })
public final class Bench {

    private static final int BROKEN = 1;
    private static final int BAD_OPTIONS = 2;
    private static final int DISHONEST = 3;

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Sluice bench " + Installation.version()};
        }
    }

    private final StopSignal stop;

    Bench(StopSignal stop) {
        this.stop = stop;
    }

    /** Runs a command and ends the JVM with its exit status. */
    public static void main(String... arguments) {
        // charts are drawn without a screen
        System.setProperty("java.awt.headless", "true");
        StopSignal stop = StopSignal.interrupting(Thread.currentThread());
        System.exit(new Bench(stop).commandLine().execute(arguments));
    }

    /** Parses and runs command lines. */
    CommandLine commandLine() {
        CommandLine line = new CommandLine(this);
        line.getSubcommands().values().forEach(command -> {
            if (command.getCommand() instanceof BenchCommand bench) {
                bench.prepare(command.getCommandSpec());
            }
        });
        line.setParameterExceptionHandler(this::refuse);
        line.setExecutionExceptionHandler(this::explain);
        return line;
    }

    /** One line that says which option is wrong and what is allowed. */
    private int refuse(ParameterException refusal, String[] arguments) {
        CommandLine line = refusal.getCommandLine();
        PrintWriter err = line.getErr();
        String message = onOneLine(refusal.getMessage());
        if (line.getParent() == null) {
            message += "; the commands are "
                    + line.getSubcommands().values().stream()
                            .map(CommandLine::getCommandSpec)
                            .filter(command -> !command.usageMessage().hidden())
                            .map(CommandSpec::name)
                            .collect(Collectors.joining(", "));
        } else if (refusal instanceof UnmatchedArgumentException) {
            message += "; --help shows what there is";
        }
        err.println(line.getCommandSpec().qualifiedName() + ": " + message);
        return BAD_OPTIONS;
    }

    private static String onOneLine(String message) {
        return message.replaceAll("\\s*\\R\\s*", " ");
    }

    private int explain(Exception failure, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        if (stop.exitStatus() != 0) {
            err.println("Stopped before there was a result.");
            return stop.exitStatus();
        }
        if (failure instanceof DishonestRunException) {
            err.println("No honest run: " + onOneLine(failure.getMessage()));
            return DISHONEST;
        }
        if (failure instanceof ParametersRefusedException) {
            err.println(line.getCommandSpec().qualifiedName() + ": " + failure.getMessage());
            return BAD_OPTIONS;
        }
        if (failure instanceof SiteException) {
            err.println(failure.getMessage());
        } else {
            failure.printStackTrace(err);
        }
        return BROKEN;
    }
}
