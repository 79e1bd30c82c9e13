package dev.sluice.it.crash;

import dev.sluice.it.Site;
import dev.sluice.launcher.LibertyServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Enqueues jobs, and tells from the tables of both databases whether each has had its effects, once. */
final class XaAudit {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String HERE = """
            select format('%s wait, %s claims, %s prepared, %s dead, %s of %s jobs here, %s counted twice, ',
              (select count(*) from sluice.job) + (select count(*) from sluice.scheduled),
              (select count(*) from sluice.claim),
              (select count(*) from pg_prepared_xacts),
              (select count(*) from sluice.dead_letter),
              count(*), count(distinct job), count(*) filter (where attempt > 2))
            from ledger
            """;

    private static final String THERE =
            "select format('%s of %s jobs there, ', count(*), count(distinct job)) from ledger";

    /** The last attempt that is counted has to be one that was made. */
    private static final String JOB = """
            select concat_ws(', ',
              (select 'waits' from sluice.job where id = ?),
              (select 'waits for its next attempt' from sluice.scheduled where id = ?),
              (select case when attempt = 2 and error like '%at attempt 2%' then 'dead'
                else format('dead after %s attempts: %s', attempt, error) end from sluice.dead_letter where id = ?),
              (select count(*) || ' here, ' from ledger where job = ?))
            """;

    private static final String JOB_THERE = "select count(*) || ' there' from ledger where job = ?";

    private static final String LAST_ENTRY =
            "select coalesce(last_value, 0) from pg_sequences where sequencename = 'ledger_id_seq'";

    private static final String OUTCOME = """
            select case when id <= %d then 'committed'
              when attempt = 1 then 'run again, not counted' else 'run again, attempt ' || attempt end
            from ledger where job = %d
            """;

    private final Site site;
    private final LibertyServer server;
    /** Jobs so far, by where their effects are: in {@code work} alone, in both databases, nowhere. */
    private int inWork;

    private int inBoth;
    private int inNone;

    XaAudit(Site site, LibertyServer server) {
        this.site = site;
        this.server = server;
    }

    /** Enqueues a job that has this step, in the caller's transaction; returns its id. */
    long enqueue(XaStep step, Statement statement) throws SQLException {
        if (step.fails()) {
            inNone++;
        } else if (step.twoPhase()) {
            inBoth++;
        } else {
            inWork++;
        }
        try (ResultSet row = statement.executeQuery(enqueue(step.queue()))) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Enqueues so many jobs that write to one database, and to both. */
    void enqueueOthers(int one, int both) throws SQLException {
        site.execute(enqueue("work") + " from generate_series(1, " + one + ")");
        site.execute(enqueue("both") + " from generate_series(1, " + both + ")");
        inWork += one;
        inBoth += both;
    }

    private static String enqueue(String queue) {
        return "select sluice.enqueue('" + queue + "', 'enter', '{\"number\":1}')";
    }

    /**
     * Waits until every job has had its effects, nothing is left of any, and the server is ready.
     *
     * @return what is wrong after two minutes; null if nothing is
     */
    String awaitSettled() throws SQLException, InterruptedException {
        String settled =
                "0 wait, 0 claims, 0 prepared, %d dead, %d of %d jobs here, 0 counted twice, %d of %d jobs there, "
                                .formatted(inNone, inWork + inBoth, inWork + inBoth, inBoth, inBoth)
                        + "ready: 200";
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            String now = site.query(HERE) + site.query("other", THERE) + "ready: " + site.readiness(server);
            if (now.equals(settled)) {
                return null;
            }
            if (System.nanoTime() - until > 0) {
                return now + " instead of " + settled;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** What is wrong with the effects of a job that has this step; null if nothing is. */
    String wrong(XaStep step, long job) throws SQLException {
        String wanted =
                step.fails() ? "dead, 0 here, 0 there" : step.twoPhase() ? "1 here, 1 there" : "1 here, 0 there";
        String actual = site.query(JOB.replace("?", Long.toString(job)))
                + site.query("other", JOB_THERE.replace("?", Long.toString(job)));
        return actual.equals(wanted) ? null : actual;
    }

    /** The number of the last entry that any transaction has made in the ledger of {@code work}, committed or not. */
    long lastEntry() throws SQLException {
        return Long.parseLong(site.query(LAST_ENTRY));
    }

    /** What became of a job of which nothing is wrong, and whose transaction can have made no entry after this one. */
    String outcome(XaStep step, long job, long lastEntry) throws SQLException {
        return step.fails() ? "dead letter" : site.query(OUTCOME.formatted(lastEntry, job));
    }
}
