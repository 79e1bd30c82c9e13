package dev.sluice.engine.model;

import dev.sluice.api.Priority;
import dev.sluice.engine.queue.Enqueue;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Enqueues jobs, which are expected to run once it is committed. */
final class ProducerTransaction extends Transaction {

    private static final Priority[] PRIORITIES = Priority.values();

    private final Enqueue enqueue = new Enqueue(World.SCHEMA);
    private final List<Long> ids = new ArrayList<>();
    private long openUntil = System.nanoTime();

    ProducerTransaction(World world, Session session) throws SQLException {
        super(world, session);
    }

    /** Open, or prepared, for so long. */
    void stayOpen(Duration time) {
        openUntil = System.nanoTime() + time.toNanos();
    }

    @Override
    boolean staysOpen() {
        return System.nanoTime() - openUntil < 0;
    }

    @Override
    void ended(boolean committed) {
        if (committed) {
            world().expectation().committed(ids);
        }
    }

    /** Tells where the job belongs, so that its handler can see whether it was moved as it was. */
    static String payload(String queue, String kind, int priority) {
        return "[\"" + queue + "\", \"" + kind + "\", " + priority + "]";
    }

    /** Enqueues one job, or some, perhaps with a delay; returns whether it could. */
    boolean enqueue(Random random) throws SQLException {
        String queue = World.queue(random);
        String kind = World.kind(random);
        Priority priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
        Duration delay = random.nextInt(4) == 0 ? Duration.ofMillis(1 + random.nextInt(5)) : Duration.ZERO;
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(12) : 1;
        String payload = payload(queue, kind, priority.ordinal());
        return attempt(() -> {
            if (count == 1) {
                ids.add(enqueue.one(connection(), queue, kind, payload, priority, delay));
            } else {
                ids.addAll(
                        enqueue.many(connection(), queue, kind, Collections.nCopies(count, payload), priority, delay));
            }
        });
    }

    /** Enqueues many jobs at once; returns whether it could. */
    boolean enqueueMany(int count, Random random) throws SQLException {
        String queue = World.queue(random);
        String payload = payload(queue, "a", Priority.NORMAL.ordinal());
        return attempt(() -> ids.addAll(enqueue.many(
                connection(), queue, "a", Collections.nCopies(count, payload), Priority.NORMAL, Duration.ZERO)));
    }

    /** Inserts into this table, having read long ago that it was the current one; returns whether it could. */
    boolean insertInto(int epoch, Random random) throws SQLException {
        return insert(
                "insert into sluice.job_" + epoch + " (queue, priority, id, kind, payload)"
                        + " values (?, ?, nextval('sluice.job_id'), ?, ?::json) returning id",
                random);
    }

    /** The same, of what is not due yet. */
    boolean scheduleInto(int epoch, Random random) throws SQLException {
        return insert(
                "insert into sluice.scheduled_" + epoch + " (queue, priority, id, kind, payload, run_at)"
                        + " values (?, ?, nextval('sluice.job_id'), ?, ?::json, clock_timestamp() + interval '2 ms')"
                        + " returning id",
                random);
    }

    private boolean insert(String sql, Random random) throws SQLException {
        String queue = World.queue(random);
        String kind = World.kind(random);
        int priority = random.nextInt(PRIORITIES.length);
        return attempt(() -> {
            try (PreparedStatement insert = connection().prepareStatement(sql)) {
                insert.setString(1, queue);
                insert.setInt(2, priority);
                insert.setString(3, kind);
                insert.setString(4, payload(queue, kind, priority));
                try (ResultSet row = insert.executeQuery()) {
                    row.next();
                    ids.add(row.getLong(1));
                }
            }
        });
    }

    @Override
    public String toString() {
        return "producer of " + (ids.size() > 20 ? ids.size() + " jobs" : ids);
    }
}
