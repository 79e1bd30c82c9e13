package dev.sluice.bench.grow;

import dev.sluice.api.NodeStatus;
import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.engine.Workers;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.measure.Roster;
import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.option.ClaimMode;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.site.Database;
import dev.sluice.engine.database.Settings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Has a node claim at a steady rate, while as many jobs are enqueued as it claims, and looks on. */
final class Looking {

    /** Between two claims. */
    private static final Duration PERIOD = Duration.ofMillis(50);

    /** Not looked at: a new node's first claims. */
    private static final Duration SETTLE = Duration.ofSeconds(3);

    /** Of the claims that should have come. */
    private static final double HELD = 0.8;

    /** How far the number of jobs may be from what it should be. */
    private static final double TOLERANCE = 0.05;

    private static final double MICROS_PER_MILLI = 1_000;

    private final Database database;
    private final Queue queue;
    private final Payloads payloads;
    private final Roster roster;
    private final ClaimMode mode;
    private final int batch;

    /** @param batch jobs of a claim */
    Looking(Database database, Queue queue, Payloads payloads, Roster roster, ClaimMode mode, int batch) {
        this.database = database;
        this.queue = queue;
        this.payloads = payloads;
        this.roster = roster;
        this.mode = mode;
        this.batch = batch;
    }

    /**
     * Looks on while so many jobs wait. The node is a new one, so that its times are of this size alone.
     *
     * @param seconds how long
     * @throws DishonestRunException if claims or jobs did not come as they should
     */
    Look at(int size, double seconds) throws SQLException, InterruptedException, DishonestRunException {
        Pace pace = new Pace(PERIOD);
        Workers workers = new Workers(Queue.NAME, Queue.KIND, mode, 1, batch, true, pace);
        Settings settings = EngineNode.settings(database);
        Trickle trickle = new Trickle(database, payloads, queue.next(), PERIOD.dividedBy(batch));
        Look look;
        try (EngineNode node = EngineNode.start(settings, List.of(workers))) {
            roster.begin(() -> progress(node.status(), pace));
            try (trickle) {
                trickle.start();
                TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
                look = at(size, seconds, node, trickle);
            }
        } finally {
            trickle.close();
            queue.changed(trickle.enqueued(), pace.handled());
            roster.end(pace.handled());
        }
        if (Math.abs(queue.waiting() - size) > TOLERANCE * size) {
            throw new DishonestRunException(queue.waiting() + " jobs waited at the end, not about " + size);
        }
        return look;
    }

    /** The node forgets what it has done when it stops. */
    private static Workforce.Progress progress(NodeStatus status, Pace pace) {
        Workforce.Progress said = Workforce.Progress.of(status);
        return new Workforce.Progress(
                pace.handled(),
                said.failed(),
                said.claims(),
                said.claimP50Millis(),
                said.claimP99Millis(),
                said.claimMaxMillis());
    }

    private Look at(int size, double seconds, EngineNode node, Trickle trickle)
            throws InterruptedException, DishonestRunException {
        long before = node.status().claims();
        trickle.reset();
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
        NodeStatus status = node.status();
        Histogram enqueues = trickle.take();
        long claims = status.claims() - before;
        double due = seconds * 1e9 / PERIOD.toNanos();
        if (claims < HELD * due || status.failed() > 0) {
            throw new DishonestRunException(String.format(
                    Locale.ROOT,
                    "with %d jobs waiting there were only %d of %.0f claims, and %d attempts failed",
                    size,
                    claims,
                    due,
                    status.failed()));
        }
        return new Look(
                size,
                claims,
                status.claimP50Millis(),
                status.claimP99Millis(),
                enqueues.getValueAtPercentile(50) / MICROS_PER_MILLI,
                enqueues.getValueAtPercentile(99) / MICROS_PER_MILLI);
    }
}
