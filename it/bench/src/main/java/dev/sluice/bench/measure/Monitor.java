package dev.sluice.bench.measure;

import dev.sluice.bench.site.Database;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Looks once a second, prints a line and keeps the sample. It has a connection and timeouts of its own and reads catalogs
 * only, so that it neither waits for what it watches nor holds it up. Permits are in no catalog: their table, which has
 * a row for each and no more, is the exception. Its statements are not counted by pg_stat_statements.
 */
public final class Monitor implements AutoCloseable {

    private static final String TIMEOUTS = "-c statement_timeout=900 -c lock_timeout=50";

    private final Database database;
    private final Catalogs catalogs;
    private final Workforce workforce;
    private final PrintStream out;
    private final Ticker ticker = new Ticker("monitor", Duration.ofSeconds(1), this::look);
    private final List<Sample> samples = new CopyOnWriteArrayList<>();
    private final long begun = System.nanoTime();

    private volatile String phase = "";
    private Connection connection;
    private Workforce.Progress before;
    private long beforeNanos;

    private Monitor(Database database, Catalogs catalogs, Workforce workforce, PrintStream out) {
        this.database = database;
        this.catalogs = catalogs;
        this.workforce = workforce;
        this.out = out;
    }

    /** Begins to look, for the first time after a second. */
    public static Monitor start(Database database, Catalogs catalogs, Workforce workforce, PrintStream out) {
        Monitor monitor = new Monitor(database, catalogs, workforce, out);
        monitor.ticker.start();
        return monitor;
    }

    /** Names what is measured from now on. */
    public void phase(String name) {
        phase = name;
    }

    /** Seconds since the start. */
    public double seconds() {
        return (System.nanoTime() - begun) / 1e9;
    }

    /** What has been seen. */
    public List<Sample> samples() {
        return List.copyOf(samples);
    }

    @Override
    public void close() {
        ticker.close();
        disconnect();
    }

    private void look() {
        Workforce.Progress now = progress();
        long nowNanos = System.nanoTime();
        Double rate = now == null || before == null
                ? null
                : (now.delivered() - before.delivered()) * 1e9 / (nowNanos - beforeNanos);
        before = now;
        beforeNanos = nowNanos;
        Sample sample = withCatalogs(now, rate);
        samples.add(sample);
        out.println(line(sample));
    }

    private Workforce.Progress progress() {
        try {
            return workforce.progress();
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Sample withCatalogs(Workforce.Progress now, Double rate) {
        Double p50 = now == null ? null : now.claimP50Millis();
        Double p99 = now == null ? null : now.claimP99Millis();
        Double max = now == null ? null : now.claimMaxMillis();
        String current = phase;
        try (PreparedStatement look = connection().prepareStatement(catalogs.look());
                ResultSet row = look.executeQuery()) {
            row.next();
            return new Sample(
                    seconds(),
                    current,
                    row.getLong("depth"),
                    p50,
                    p99,
                    max,
                    row.getLong("dead"),
                    row.getLong("bytes"),
                    row.getLong("permits"),
                    row.getLong("entries"),
                    rate);
        } catch (SQLException e) {
            // the next look may be luckier, on a new connection
            disconnect();
            return new Sample(seconds(), current, null, p50, p99, max, null, null, null, null, rate);
        }
    }

    private Connection connection() throws SQLException {
        if (connection == null) {
            connection = database.connect(Database.QUEUE, "sluice-bench monitor", TIMEOUTS);
            connection.setNetworkTimeout(Runnable::run, 2_000);
            StatementMeasure.leaveOut(connection);
        }
        return connection;
    }

    private void disconnect() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            // it was broken
        }
        connection = null;
    }

    private static String line(Sample sample) {
        return String.format(
                Locale.ROOT,
                "%4.0f s  %-18s depth %s  claim p50 %s ms p99 %s ms  dead tuples %s  permits %s  jobs/s %s",
                sample.seconds(),
                sample.phase(),
                shown(sample.depth()),
                shown(sample.claimP50Millis(), 2),
                shown(sample.claimP99Millis(), 2),
                shown(sample.deadTuples()),
                shown(sample.permits()),
                shown(sample.jobsPerSecond(), 0));
    }

    private static String shown(Long value) {
        return value == null ? "?" : value.toString();
    }

    private static String shown(Double value, int digits) {
        return value == null ? "?" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
