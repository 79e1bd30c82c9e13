package dev.sluice.bench.queue;

import dev.sluice.bench.load.Payloads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The queue that was measured in 2015: a recursive query takes the advisory lock of the first job that has none, one at a time.
 *
 * @see <a href="https://github.com/brandur/que-degradation-test">que-degradation-test</a>
 */
final class QueQueue extends ComparedQueue {

    private static final String CREATE = """
            create schema que;
            create table que.job (
              queue    text not null default '',
              priority smallint not null default 100,
              run_at   timestamptz not null default now(),
              job_id   bigserial,
              args     json not null default '[]',
              primary key (queue, priority, run_at, job_id))""";

    private static final String ENQUEUE = "/* bench:enqueue */ insert into que.job (queue, args) values (?, ?::json)";

    private static final String LOCK = """
            /* bench:que lock */
            with recursive job as (
              select (j).*, pg_try_advisory_lock((j).job_id) as locked
              from (
                select j from que.job j
                where queue = ? and run_at <= now()
                order by priority, run_at, job_id limit 1) first
              union all (
                select (j).*, pg_try_advisory_lock((j).job_id) as locked
                from (
                  select (
                    select j from que.job j
                    where queue = ? and run_at <= now()
                      and (priority, run_at, job_id) > (job.priority, job.run_at, job.job_id)
                    order by priority, run_at, job_id limit 1) as j
                  from job where job.job_id is not null limit 1) further)
            )
            select priority, run_at::text, job_id, args from job where locked limit 1""";

    /** Another may have deleted it between our snapshot and our lock. */
    private static final String CHECK = """
            /* bench:que check */
            select from que.job where queue = ? and priority = ? and run_at = ?::timestamptz and job_id = ?""";

    private static final String DELETE = """
            /* bench:que delete */
            delete from que.job where queue = ? and priority = ? and run_at = ?::timestamptz and job_id = ?""";

    private static final String UNLOCK = "/* bench:que unlock */ select pg_advisory_unlock(?)";

    private record Locked(int priority, String runAt, long id, long number) {}

    QueQueue() {
        super("que", CREATE, ENQUEUE);
    }

    @Override
    public String claims() {
        return "with recursive job as";
    }

    @Override
    public QueueNode start(NodePlan plan) {
        return RoundWorkers.start(plan, (connection, queue, workers) -> {
            long begun = System.nanoTime();
            Locked job = lock(connection, queue);
            if (job == null) {
                return 0;
            }
            workers.claimed(begun);
            try {
                return perform(connection, queue, job, workers);
            } finally {
                unlock(connection, job.id());
            }
        });
    }

    private static int perform(Connection connection, String queue, Locked job, RoundWorkers workers)
            throws SQLException, InterruptedException {
        try (PreparedStatement check = of(connection, CHECK, queue, job);
                ResultSet row = check.executeQuery()) {
            if (!row.next()) {
                return 0;
            }
        }
        connection.setAutoCommit(false);
        Ledger.enter(connection, queue, List.of(job.number()));
        workers.spend();
        try (PreparedStatement delete = of(connection, DELETE, queue, job)) {
            delete.executeUpdate();
        }
        connection.commit();
        connection.setAutoCommit(true);
        return 1;
    }

    private static Locked lock(Connection connection, String queue) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            lock.setString(1, queue);
            lock.setString(2, queue);
            try (ResultSet row = lock.executeQuery()) {
                return row.next()
                        ? new Locked(row.getInt(1), row.getString(2), row.getLong(3), Payloads.number(row.getString(4)))
                        : null;
            }
        }
    }

    private static PreparedStatement of(Connection connection, String sql, String queue, Locked job)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setString(1, queue);
        statement.setInt(2, job.priority());
        statement.setString(3, job.runAt());
        statement.setLong(4, job.id());
        return statement;
    }

    private static void unlock(Connection connection, long id) throws SQLException {
        try (PreparedStatement unlock = connection.prepareStatement(UNLOCK)) {
            unlock.setLong(1, id);
            unlock.execute();
        }
    }
}
