package dev.sluice.it.life;

import dev.sluice.it.Site;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A steady load on the queue {@code work}, by SQL: more than 100 jobs each second, of which most are short. */
final class Load implements AutoCloseable {

    /** Ten jobs that take 28 ms on average, and at every tenth time one of 3 s. */
    private static final String ENQUEUE = """
            select sluice.enqueue('work', 'busy', millis::text)
            from unnest(array[0, 0, 0, 0, 0, 0, 10, 20, 50, 200]) millis
            union all
            select sluice.enqueue('work', 'busy', '3000') where ? % 10 = 0""";

    private static final long EVERY_MILLIS = 80;

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<Void> running;
    private volatile boolean ended;

    private Load(Site site) {
        running = thread.submit(() -> enqueue(site));
    }

    /** Begins; the queue must exist. */
    static Load start(Site site) {
        return new Load(site);
    }

    private Void enqueue(Site site) throws SQLException, InterruptedException {
        try (Connection connection = site.postgres().connect("work");
                PreparedStatement enqueue = connection.prepareStatement(ENQUEUE)) {
            for (int n = 0; !ended; n++) {
                enqueue.setInt(1, n);
                enqueue.execute();
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        }
        return null;
    }

    /** Ends it; fails if it could not enqueue. */
    @Override
    public void close() throws InterruptedException, ExecutionException {
        ended = true;
        thread.shutdown();
        running.get();
    }
}
