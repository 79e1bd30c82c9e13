package dev.sluice.bench.grow;

import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.measure.CleanSlate;
import dev.sluice.bench.measure.QueueTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The queue that grows, and what is known of the number of its jobs. */
final class Queue {

    static final String NAME = "grow";
    static final String KIND = "enter";

    /** Jobs of a transaction. */
    private static final int STEP = 100_000;

    private static final String DEFINE = "/* bench:define */ select sluice.define_queue(?)";

    private final Backlog backlog;
    private final QueueTables tables;
    private final CleanSlate slate;
    private long enqueued;
    private long done;

    /** @param connection in autocommit */
    Queue(Connection connection, Payloads payloads) throws SQLException {
        this.backlog = new Backlog(connection, payloads);
        this.tables = new QueueTables(connection);
        this.slate = new CleanSlate(connection, tables.names());
        try (PreparedStatement define = connection.prepareStatement(DEFINE)) {
            define.setString(1, NAME);
            define.execute();
        }
    }

    /** Enqueues until so many jobs wait, and has the tables come to rest. */
    void fillTo(int size) throws SQLException, InterruptedException {
        while (waiting() < size) {
            int jobs = (int) Math.min(STEP, size - waiting());
            backlog.enqueue(NAME, enqueued + 1, jobs);
            enqueued += jobs;
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        slate.settle();
    }

    /** Notes jobs that others enqueued, and that are done. */
    void changed(long moreEnqueued, long moreDone) {
        enqueued += moreEnqueued;
        done += moreDone;
    }

    /** Jobs that should wait. */
    long waiting() {
        return enqueued - done;
    }

    /** The number of the next job. */
    long next() {
        return enqueued + 1;
    }

    long enqueued() {
        return enqueued;
    }

    long done() {
        return done;
    }

    /** Jobs that do wait, counted. */
    long left() throws SQLException {
        return tables.jobs();
    }
}
