package dev.sluice.bench.queue;

import dev.sluice.bench.load.PlannedJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** A queue in a few statements, to compare with: one table in a schema of its own, and one statement that enqueues. */
abstract class ComparedQueue implements TestedQueue {

    private final String schema;
    private final String create;
    private final String enqueue;

    /**
     * @param create  the SQL that creates the schema and the table
     * @param enqueue the SQL that enqueues: its parameters are the queue and the payload
     */
    ComparedQueue(String schema, String create, String enqueue) {
        this.schema = schema;
        this.create = create;
        this.enqueue = enqueue;
    }

    @Override
    public final String schema() {
        return schema;
    }

    @Override
    public final void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(create);
        }
    }

    @Override
    public final void enqueue(Connection connection, PlannedJob job, String kind, String payload) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(enqueue)) {
            statement.setString(1, job.queue());
            statement.setString(2, payload);
            statement.executeUpdate();
        }
    }
}
