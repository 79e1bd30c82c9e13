package dev.sluice.bench.run;

import dev.sluice.bench.measure.Catalogs;
import dev.sluice.bench.measure.Monitor;
import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.site.BenchServer;
import dev.sluice.bench.site.Site;
import dev.sluice.bench.site.SiteException;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;

/** One run of a command on its site. */
public final class Run implements AutoCloseable {

    private final CommonOptions options;
    private final Site site;
    private final PrintStream progress;
    private Monitor monitor;

    Run(CommonOptions options, Site site, PrintStream progress) {
        this.options = options;
        this.site = site;
        this.progress = progress;
    }

    public CommonOptions options() {
        return options;
    }

    public Site site() {
        return site;
    }

    /** Starts a server that handles jobs, and watches it. */
    public BenchServer startWatchedServer() throws IOException, InterruptedException, SQLException, SiteException {
        progress.println("Starting Open Liberty ...");
        BenchServer server = site.startServer();
        watch(Catalogs.OF_SLUICE, () -> Workforce.Progress.of(server.status()));
        return server;
    }

    /** Begins to look once a second; once in a run. */
    public void watch(Catalogs catalogs, Workforce workforce) {
        monitor = Monitor.start(site.database(), catalogs, workforce, progress);
    }

    /** Where a person reads how the run goes. */
    public PrintStream progress() {
        return progress;
    }

    /** Who looks; null until somebody is watched. */
    public Monitor monitor() {
        return monitor;
    }

    /** Ends the looking. */
    @Override
    public void close() {
        if (monitor != null) {
            monitor.close();
        }
    }
}
