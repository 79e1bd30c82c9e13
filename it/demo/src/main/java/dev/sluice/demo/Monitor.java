package dev.sluice.demo;

import dev.sluice.api.NodeStatus;
import dev.sluice.sample.client.OrderFeeder;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;

/** Prints one line a second, from the database and from the server's own view. */
final class Monitor implements AutoCloseable {

    private static final String SAMPLE = """
            /* demo:monitor */
            select
              (select count(*) from sluice.job where lease is null) as depth,
              (select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where schemaname = 'sluice') as dead,
              (select coalesce(sum(pg_total_relation_size(oid)), 0) from pg_class
                where relnamespace = 'sluice'::regnamespace and relkind = 'r') as bytes,
              (select count(*) from sluice.permit where granted_at is not null) as permits,
              (select count(*) from sluice.permit where granted_at is null) as waiting""";

    private static final double BYTES_PER_MEGABYTE = 1_000_000;

    private final Connection connection;
    private final SampleApi api;
    private final OrderFeeder feeder;
    private final ReportAsker asker;
    private final PrintStream out;
    private final ClaimTimes claims = new ClaimTimes();
    private final Ticker ticker = new Ticker("monitor", Duration.ofSeconds(1), this::printLine);
    private int second;
    private long delivered;

    /** @param connection the monitor's own; closed with it */
    Monitor(Connection connection, SampleApi api, OrderFeeder feeder, ReportAsker asker, PrintStream out) {
        this.connection = connection;
        this.api = api;
        this.feeder = feeder;
        this.asker = asker;
        this.out = out;
    }

    void start() {
        ticker.start();
    }

    /** How long claims have taken so far. */
    ClaimTimes claims() {
        return claims;
    }

    @Override
    public void close() throws SQLException {
        ticker.close();
        connection.close();
    }

    private void printLine() {
        second++;
        out.println(line());
    }

    private String line() {
        try (PreparedStatement sample = connection.prepareStatement(SAMPLE);
                ResultSet row = sample.executeQuery()) {
            row.next();
            NodeStatus status = api.status();
            claims.add(status);
            long doneNow = status.delivered() - delivered;
            delivered = status.delivered();
            return String.format(
                            Locale.ROOT,
                            "%4d s  depth %d  claims of 10 s p50 %.2f ms p99 %.2f ms max %.2f ms  done %d/s  dead tuples %d"
                                    + "  tables %.1f MB  permits %d  reports waiting %d",
                            second,
                            row.getLong("depth"),
                            status.claimP50Millis(),
                            status.claimP99Millis(),
                            status.claimMaxMillis(),
                            doneNow,
                            row.getLong("dead"),
                            row.getLong("bytes") / BYTES_PER_MEGABYTE,
                            row.getLong("permits"),
                            row.getLong("waiting"))
                    + remarks();
        } catch (SQLException | IOException e) {
            return String.format(Locale.ROOT, "%4d s  cannot look: %s", second, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** What should not be, if it is. */
    private String remarks() {
        StringBuilder remarks = new StringBuilder();
        if (feeder.late() > 100) {
            remarks.append("  orders late ").append(feeder.late());
        }
        if (feeder.dropped() > 0) {
            remarks.append("  orders refused ")
                    .append(feeder.dropped())
                    .append(": ")
                    .append(feeder.lastProblem().getMessage());
        }
        if (asker.problem() != null) {
            remarks.append("  reports: ").append(asker.problem());
        }
        return remarks.toString();
    }
}
