package dev.sluice.it;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A steady load: a statement, every 80 ms. */
public final class Load implements AutoCloseable {

    /** More than 100 jobs a second of queue {@code work}: ten of 28 ms on average, and at every fifth time one of a second. */
    public static final String WORK = """
            select sluice.enqueue('work', 'busy', millis::text)
            from unnest(array[0, 0, 0, 0, 0, 0, 10, 20, 50, 200]) millis
            union all
            select sluice.enqueue('work', 'busy', '1000') where ? % 5 = 0""";

    private static final long EVERY_MILLIS = 80;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<Void> running;
    private volatile boolean ended;

    private Load(Site site, String statement) {
        running = thread.submit(() -> run(site, statement));
    }

    /** @param statement its parameter is how often it ran before; the queues that it enqueues into must exist */
    public static Load start(Site site, String statement) {
        return new Load(site, statement);
    }

    private Void run(Site site, String statement) throws SQLException, InterruptedException {
        try (Connection connection = site.postgres().connect("work");
                PreparedStatement enqueue = connection.prepareStatement(statement)) {
            for (int n = 0; !ended; n++) {
                enqueue.setInt(1, n);
                enqueue.execute();
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        }
        return null;
    }

    /** Ends it; fails if it could not go on. */
    @Override
    public void close() throws InterruptedException, ExecutionException {
        ended = true;
        thread.shutdown();
        running.get();
    }
}
