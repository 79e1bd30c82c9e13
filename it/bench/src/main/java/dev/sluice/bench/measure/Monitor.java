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
 * a row for each and no more, is the exception.
 */
public final class Monitor implements AutoCloseable {

    private static final String TIMEOUTS = "-c statement_timeout=900 -c lock_timeout=50";

    private static final String LOOK = """
            /* bench:look */
            select
              -- sessions report at different times, deletes perhaps before their inserts
              greatest(0, sum(n_tup_ins - n_tup_del) filter (where relname ~ '^job_[0-9]+$'))::bigint as depth,
              coalesce(sum(n_dead_tup), 0)::bigint as dead,
              (select count(*) from sluice.permit where granted_at is not null) as permits
            from pg_stat_user_tables where schemaname = 'sluice'""";

    private final Database database;
    private final Workforce workforce;
    private final PrintStream out;
    private final Ticker ticker = new Ticker("monitor", Duration.ofSeconds(1), this::look);
    private final List<Sample> samples = new CopyOnWriteArrayList<>();
    private final long begun = System.nanoTime();

    private volatile String phase = "";
    private Connection connection;
    private Workforce.Progress before;
    private long beforeNanos;

    private Monitor(Database database, Workforce workforce, PrintStream out) {
        this.database = database;
        this.workforce = workforce;
        this.out = out;
    }

    /** Begins to look, for the first time after a second. */
    public static Monitor start(Database database, Workforce workforce, PrintStream out) {
        Monitor monitor = new Monitor(database, workforce, out);
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
        String current = phase;
        try (PreparedStatement look = connection().prepareStatement(LOOK);
                ResultSet row = look.executeQuery()) {
            row.next();
            return new Sample(
                    seconds(),
                    current,
                    row.getLong("depth"),
                    p50,
                    p99,
                    row.getLong("dead"),
                    row.getLong("permits"),
                    rate);
        } catch (SQLException e) {
            // the next look may be luckier, on a new connection
            disconnect();
            return new Sample(seconds(), current, null, p50, p99, null, null, rate);
        }
    }

    private Connection connection() throws SQLException {
        if (connection == null) {
            connection = database.connect(Database.QUEUE, "sluice-bench monitor", TIMEOUTS);
            connection.setNetworkTimeout(Runnable::run, 2_000);
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
