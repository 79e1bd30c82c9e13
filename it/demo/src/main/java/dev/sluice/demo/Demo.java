package dev.sluice.demo;

import dev.sluice.sample.client.OrderFeeder;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Shows Sluice at work: orders at a steady rate, handled on Open Liberty, while reports over the same database ask to run
 * all along. Started by {@code mvn -Pdemo verify}; see {@link DemoSettings} for what can be changed. The last line that it
 * prints is one JSON object with what became of the orders.
 */
public final class Demo {

    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(60);
    private static final long DRAIN_POLL_MILLIS = 200;

    private final DemoSettings settings;
    private final Installation installation;
    private final PrintStream out;

    private Demo(DemoSettings settings, Installation installation, PrintStream out) {
        this.settings = settings;
        this.installation = installation;
        this.out = out;
    }

    /** Takes no arguments. */
    public static void main(String... arguments) throws Exception {
        DemoSettings settings = DemoSettings.of(System.getProperties());
        new Demo(settings, Installation.ofTheBuild(), System.out).run();
    }

    private void run() throws Exception {
        out.println("Sluice demo: " + settings);
        out.println("Starting PostgreSQL and Open Liberty ...");
        Outcome outcome;
        try (ShopDatabase database = ShopDatabase.start(installation.serverConfig());
                SampleServer server = SampleServer.start(installation, database, settings)) {
            StopSignal stop = StopSignal.listen();
            prepare(database);
            printAddresses(database, server);
            outcome = settings.pin() == DemoSettings.PinKind.NONE
                    ? feedAndReport(database, server, stop)
                    : feedAndReportPinned(database, server, stop);
            out.println("Stopping Open Liberty and PostgreSQL ...");
        }
        out.println(outcome.json());
    }

    private void prepare(ShopDatabase database) throws IOException, SQLException {
        database.grant();
        String limit = settings.admission() == DemoSettings.Admission.ON ? "1" : "null";
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("select sluice.define_budget('reports', " + limit + ")");
        }
    }

    private void printAddresses(ShopDatabase database, SampleServer server) {
        out.println("  " + server.url() + "/sluice/api/status");
        out.println("  " + server.url() + "/health");
        out.println("  " + database.url() + "?user=" + ShopDatabase.SHOP + "&password=" + database.password());
        out.println("  log: " + server.log());
        out.println(settings.seconds() == 0 ? "Ctrl-C stops it." : "It stops by itself, or with Ctrl-C.");
    }

    private Outcome feedAndReportPinned(ShopDatabase database, SampleServer server, StopSignal stop) throws Exception {
        try (Pin pin = Pin.hold(database.connect(), settings.pin())) {
            out.println("The horizon is held by the " + pin);
            Outcome outcome = feedAndReport(database, server, stop);
            if (!pin.holds()) {
                out.println("The horizon was not held to the end: somebody ended the " + pin);
            }
            return outcome;
        }
    }

    private Outcome feedAndReport(ShopDatabase database, SampleServer server, StopSignal stop) throws Exception {
        SampleApi api = server.api();
        try (Connection connection = database.connect();
                ReportAsker asker = new ReportAsker(api);
                ReportWatch watch = new ReportWatch(database.connect());
                OrderFeeder feeder =
                        new OrderFeeder(database.url(), ShopDatabase.SHOP, database.password(), settings.rate());
                Monitor monitor = new Monitor(database.connect(), api, feeder, asker, out)) {
            feeder.start();
            watch.start();
            asker.start();
            monitor.start();
            stop.await(Duration.ofSeconds(settings.seconds()));

            out.println("No more orders and reports. Waiting for those that are on their way ...");
            asker.stopAsking();
            feeder.stop();
            drain(connection, asker);
            if (watch.problem() != null) {
                out.println("The reports were not watched all the time: " + watch.problem());
            }
            return new Outcome(Tally.count(connection), monitor.claims(), asker.done(), watch.most());
        }
    }

    private void drain(Connection connection, ReportAsker asker) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + DRAIN_LIMIT.toNanos();
        while (Tally.unfinished(connection) > 0 && System.nanoTime() < deadline) {
            Thread.sleep(DRAIN_POLL_MILLIS);
        }
        if (!asker.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()))) {
            out.println("Some reports have not ended within " + DRAIN_LIMIT.toSeconds() + " s");
        }
    }
}
