package dev.sluice.engine.queue;

import dev.sluice.api.Priority;
import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Puts jobs into queues, on the caller's connection and so in the caller's transaction. */
public final class Enqueue {

    private static final String ENQUEUE = """
            /* sluice:enqueue */
            select {schema}.enqueue(?, ?, ?, ?, ?::float8 * interval '1 s')
            """;

    private static final String ENQUEUE_MANY = """
            /* sluice:enqueue many */
            select * from {schema}.enqueue_many(?, ?, ?, ?, ?::float8 * interval '1 s')
            """;

    private static final String DEFINE = """
            /* sluice:define queue */
            select {schema}.define_queue(?, ?, ?::float8 * interval '1 s', ?::float8 * interval '1 s')
            """;

    private static final double NANOS = 1e9;

    private final Schema schema;

    public Enqueue(Schema schema) {
        this.schema = schema;
    }

    /**
     * Enqueues a job.
     *
     * @param payload JSON text
     * @return the identity of the job
     */
    public long one(Connection connection, String queue, String kind, String payload, Priority priority, Duration delay)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(ENQUEUE))) {
            call.setString(1, queue);
            call.setString(2, kind);
            call.setString(3, payload);
            call.setInt(4, priority.ordinal());
            call.setObject(5, seconds(delay), Types.DOUBLE);
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Enqueues jobs that differ in their payload only; returns their identities in the order of the payloads. */
    public List<Long> many(
            Connection connection, String queue, String kind, List<String> payloads, Priority priority, Duration delay)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(ENQUEUE_MANY))) {
            call.setString(1, queue);
            call.setString(2, kind);
            call.setArray(3, connection.createArrayOf("text", payloads.toArray()));
            call.setInt(4, priority.ordinal());
            call.setObject(5, seconds(delay), Types.DOUBLE);
            List<Long> ids = new ArrayList<>(payloads.size());
            try (ResultSet row = call.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getLong(1));
                }
            }
            return ids;
        }
    }

    /** Creates the queue or changes its retry policy; null leaves a value as it is. */
    public void define(Connection connection, String queue, RetryPolicy policy) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(DEFINE))) {
            call.setString(1, queue);
            call.setObject(2, policy.maxAttempts(), Types.INTEGER);
            call.setObject(3, seconds(policy.backoff()), Types.DOUBLE);
            call.setObject(4, seconds(policy.backoffCap()), Types.DOUBLE);
            call.execute();
        }
    }

    /** With the microseconds that PostgreSQL keeps; null for null. */
    private static Double seconds(Duration duration) {
        return duration == null ? null : duration.getSeconds() + duration.getNano() / NANOS;
    }
}
