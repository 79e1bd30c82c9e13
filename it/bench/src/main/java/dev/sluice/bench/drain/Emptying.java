package dev.sluice.bench.drain;

import dev.sluice.bench.measure.CleanSlate;
import dev.sluice.bench.measure.Roster;
import dev.sluice.bench.run.DishonestRunException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Enqueues a backlog, has it emptied and looks on. */
final class Emptying {

    private static final Duration POLL = Duration.ofMillis(5);
    private static final Duration STUCK = Duration.ofSeconds(20);

    private static final Duration FORGOTTEN = Duration.ofSeconds(3);
    private static final Duration LEFT_POLL = Duration.ofMillis(100);

    /** Of a backlog: what is not measured at its beginning and at its end. */
    private static final int MARGIN = 20;

    private final CleanSlate slate;
    private final Roster roster;
    private final int atOnce;

    /** @param atOnce jobs that the workers may have in their hands */
    Emptying(CleanSlate slate, Roster roster, int atOnce) {
        this.slate = slate;
        this.roster = roster;
        this.atOnce = atOnce;
    }

    /** Returns when nothing is left of it, or nobody does anything any more. */
    Emptied of(Drainer drainer, int jobs) throws SQLException, InterruptedException, DishonestRunException {
        slate.vacuum();
        drainer.enqueue(jobs);
        slate.settle();
        long begun = System.nanoTime();
        Watch watch = new Watch(jobs);
        try (Crew crew = drainer.start()) {
            roster.begin(crew);
            try {
                watch.over(crew);
                crew.requireUnharmed();
                awaitForgotten(drainer);
            } finally {
                roster.end(crew.progress().delivered());
            }
        }
        long left = drainer.left();
        if (watch.done < jobs && left > 0) {
            throw new DishonestRunException("for " + STUCK.toSeconds() + " s nobody has handled the " + left
                    + " jobs that wait, of a backlog of " + jobs);
        }
        return new Emptied(
                jobs,
                watch.done,
                left,
                watch.lastDone - watch.firstDone,
                (watch.last - watch.first) / 1e9,
                (watch.seen - begun) / 1e9);
    }

    /** Claims whose jobs are done are forgotten a moment later. */
    private static void awaitForgotten(Drainer drainer) throws SQLException, InterruptedException {
        long until = System.nanoTime() + FORGOTTEN.toNanos();
        while (drainer.left() > 0 && System.nanoTime() < until) {
            TimeUnit.NANOSECONDS.sleep(LEFT_POLL.toNanos());
        }
    }

    private final class Watch {

        private final int jobs;
        private final int margin;
        private long done;
        private long seen = System.nanoTime();
        private long first;
        private long firstDone;
        private long last;
        private long lastDone;

        private Watch(int jobs) {
            this.jobs = jobs;
            this.margin = Math.max(atOnce, jobs / MARGIN);
        }

        private void over(Crew crew) throws InterruptedException, DishonestRunException {
            long progressed = System.nanoTime();
            while (done < jobs && seen - progressed < STUCK.toNanos()) {
                TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
                long before = done;
                done = crew.progress().delivered();
                seen = System.nanoTime();
                if (done > before) {
                    progressed = seen;
                } else {
                    crew.requireUnharmed();
                }
                if (first == 0 && done >= margin) {
                    first = seen;
                    firstDone = done;
                    last = first;
                    lastDone = done;
                }
                if (first != 0 && done <= jobs - margin) {
                    last = seen;
                    lastDone = done;
                }
            }
        }
    }
}
