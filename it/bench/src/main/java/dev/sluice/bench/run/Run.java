package dev.sluice.bench.run;

import dev.sluice.api.NodeStatus;
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

    /** Says something to whoever looks on. */
    public void tell(String line) {
        progress.println(line);
    }

    /** Starts a server that handles jobs, and watches it. */
    public BenchServer startWatchedServer() throws IOException, InterruptedException, SQLException, SiteException {
        progress.println("Starting Open Liberty ...");
        BenchServer server = site.startServer();
        watch(() -> {
            NodeStatus status = server.status();
            return new Workforce.Progress(status.delivered(), status.claimP50Millis(), status.claimP99Millis());
        });
        return server;
    }

    /** Begins to look once a second; once in a run. */
    public void watch(Workforce workforce) {
        monitor = Monitor.start(site.database(), workforce, progress);
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
