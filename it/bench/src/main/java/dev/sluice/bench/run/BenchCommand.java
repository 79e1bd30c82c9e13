package dev.sluice.bench.run;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.result.Chart;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.result.ResultFolder;
import dev.sluice.bench.site.Installation;
import dev.sluice.bench.site.Site;
import dev.sluice.bench.site.SiteException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command: its options are checked, everything that its run needs is started, watched and stopped, and what was measured
 * is written down. On standard output there is the result and nothing else.
 */
public abstract class BenchCommand implements Callable<Integer> {

    private static final PrintStream PROGRESS = System.err;

    @Mixin
    private CommonOptions options;

    /** The common options that mean nothing to this command, each with the reason. */
    protected abstract Map<String, String> unusedOptions();

    /** What handles the jobs if that was not said. */
    protected abstract Through defaultThrough();

    /**
     * Refuses options that make no sense together.
     *
     * @throws picocli.CommandLine.ParameterException if so
     */
    protected abstract void check(CommonOptions options);

    /**
     * Makes the run.
     *
     * @param result what was measured is put into it
     * @param chart  what is to be seen above the timeline is added to it
     * @throws DishonestRunException if the run would not say the truth
     */
    protected abstract void measure(Run run, Result result, Chart chart) throws Exception;

    /** Takes the options that mean nothing to this command out of its help. */
    public final void prepare(CommandSpec command) {
        CommonOptions.restrict(command, unusedOptions());
    }

    @Override
    public final Integer call() throws Exception {
        options.check(unusedOptions());
        check(options);
        Path liberty = options.through(defaultThrough()) == Through.SERVER ? liberty() : null;
        ResultFolder folder = folder();
        Result result = new Result();
        PROGRESS.println("Results: " + folder.path());
        try (Site site = Site.open(options, liberty, folder.path());
                Run run = new Run(options, site, PROGRESS)) {
            measure(run, folder, result);
        }
        System.out.println(result.json());
        return 0;
    }

    private void measure(Run run, ResultFolder folder, Result result) throws Exception {
        Chart chart = new Chart();
        try {
            measure(run, result, chart);
        } catch (DishonestRunException e) {
            write(run, folder, chart);
            throw e;
        }
        write(run, folder, chart);
    }

    private static void write(Run run, ResultFolder folder, Chart chart) throws IOException {
        run.close();
        folder.write(run.monitor().samples(), chart.addTimeline(run.monitor().samples()));
    }

    private Path liberty() throws SiteException {
        try {
            return Installation.liberty(options.liberty());
        } catch (SiteException e) {
            if (options.liberty() == null) {
                throw e;
            }
            throw options.refusal("Invalid value for option '--liberty': " + e.getMessage());
        }
    }

    private ResultFolder folder() throws IOException {
        try {
            return ResultFolder.create(options.out(), options.commandName());
        } catch (FileSystemException e) {
            if (options.out() == null) {
                throw e;
            }
            throw options.refusal("Invalid value for option '--out': it cannot be made a folder: " + e.getMessage());
        }
    }
}
