package dev.sluice.bench.pin;

import dev.sluice.bench.load.JobPlan;
import dev.sluice.bench.measure.LedgerCheck;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until all that was enqueued is done, and counts what was lost and doubled. */
final class Finish {

    /** Beyond the time in which a dead node's jobs are rescued: nobody has done anything for so long. */
    private static final Duration STUCK = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofMillis(500);

    /** What goes on meanwhile. */
    @FunctionalInterface
    interface Meanwhile {
        void look() throws Exception;
    }

    private final LedgerCheck check;
    private final Book book;
    private final JobPlan jobs;
    private final Course course;

    Finish(Connection connection, Book book, JobPlan jobs, Course course) {
        this.check = new LedgerCheck(connection);
        this.book = book;
        this.jobs = jobs;
        this.course = course;
    }

    void await(Meanwhile meanwhile) throws Exception {
        long entries = book.entries();
        long left = book.left();
        long progressed = System.nanoTime();
        while ((left > 0 || entries < course.enqueued) && System.nanoTime() - progressed < STUCK.toNanos()) {
            meanwhile.look();
            TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
            long entriesNow = book.entries();
            long leftNow = book.left();
            if (entriesNow != entries || leftNow < left) {
                progressed = System.nanoTime();
            }
            entries = entriesNow;
            left = leftNow;
        }
        count();
    }

    private void count() throws SQLException {
        for (String queue : jobs.queues()) {
            LedgerCheck.Finding finding = check.of(queue, jobs.jobsOf(queue, course.enqueued));
            course.lost += finding.lost();
            course.doubled += finding.doubled();
            course.strange += finding.strange();
        }
    }
}
