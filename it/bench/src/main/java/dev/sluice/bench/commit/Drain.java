package dev.sluice.bench.commit;

import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.measure.WaitingJobs;
import dev.sluice.bench.measure.WaitingJobs.Point;
import dev.sluice.bench.run.DishonestRunException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Enqueues a backlog and looks on while it is handled. */
final class Drain {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration STUCK = Duration.ofSeconds(60);

    /** Of a backlog: what is not measured at its beginning and at its end. */
    private static final int MARGIN = 20;

    private final Backlog backlog;
    private final WaitingJobs waiting;
    private final int atOnce;

    /** @param atOnce jobs that the handler may have at the same time, and in its hand for the next */
    Drain(Backlog backlog, WaitingJobs waiting, int atOnce) {
        this.backlog = backlog;
        this.waiting = waiting;
        this.atOnce = atOnce;
    }

    /** Returns when nothing is left of it. */
    Turn turn(String queue, long firstNumber, int jobs)
            throws SQLException, InterruptedException, DishonestRunException {
        int margin = Math.max(atOnce, jobs / MARGIN);
        waiting.mark();
        backlog.enqueue(queue, firstNumber, jobs);
        Point begun = null;
        Point first = null;
        Point last = null;
        Point point = waiting.look(queue);
        long progressed = System.nanoTime();
        while (point.jobs() > 0) {
            TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            Point before = point;
            point = waiting.look(queue);
            if (point.jobs() < before.jobs()) {
                progressed = System.nanoTime();
                begun = begun == null ? before : begun;
            } else if (System.nanoTime() - progressed > STUCK.toNanos()) {
                throw new DishonestRunException("for " + STUCK.toSeconds() + " s nobody has handled the " + point.jobs()
                        + " jobs that wait in queue " + queue + "; the server's log may say why");
            }
            if (first == null && point.jobs() <= jobs - margin) {
                first = point;
            }
            if (first != null && point.jobs() >= margin) {
                last = point;
            }
        }
        double seconds = begun == null ? POLL.toNanos() / 1e9 : point.seconds() - begun.seconds();
        return new Turn(jobs, first, last, seconds);
    }
}
