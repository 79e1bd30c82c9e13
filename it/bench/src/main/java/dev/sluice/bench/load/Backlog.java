package dev.sluice.bench.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.LongStream;

/** Enqueues many jobs at once by SQL. */
public final class Backlog {

    private static final int STATEMENT_BYTES = 4_000_000;
    private static final int STATEMENT_JOBS = 5_000;

    private static final String ENQUEUE = "/* bench:enqueue */ select count(*) from sluice.enqueue_many(?, 'enter', ?)";

    private final Connection connection;
    private final Payloads payloads;
    private final String statement;

    /** @param connection in autocommit mode */
    public Backlog(Connection connection, Payloads payloads) {
        this(connection, payloads, ENQUEUE);
    }

    /**
     * Enqueues by another statement than ours.
     *
     * @param connection in autocommit mode
     * @param statement  with two parameters, the queue and the payloads as text[]
     */
    public Backlog(Connection connection, Payloads payloads, String statement) {
        this.connection = connection;
        this.payloads = payloads;
        this.statement = statement;
    }

    /** Enqueues jobs with numbers in turn, all in one transaction. When it fails, close the connection: that rolls back. */
    public void enqueue(String queue, long firstNumber, int jobs) throws SQLException {
        int most = Math.max(1, Math.min(STATEMENT_JOBS, STATEMENT_BYTES / payloads.bytes()));
        connection.setAutoCommit(false);
        try (PreparedStatement enqueue = connection.prepareStatement(statement)) {
            for (int done = 0; done < jobs; done += most) {
                long first = firstNumber + done;
                String[] some = LongStream.range(first, first + Math.min(most, jobs - done))
                        .mapToObj(payloads::of)
                        .toArray(String[]::new);
                enqueue.setString(1, queue);
                enqueue.setArray(2, connection.createArrayOf("text", some));
                enqueue.execute();
            }
            connection.commit();
        }
        connection.setAutoCommit(true);
    }
}
