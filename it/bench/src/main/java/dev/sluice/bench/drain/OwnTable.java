package dev.sluice.bench.drain;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The engine's table, and the SQL of its transactional claim: what function {@code take_1} does, as a plain statement. All
 * claimers share a position, as those of a node do.
 */
final class OwnTable implements BareTable {

    private static final String KIND = "enter";

    /** As far as the engine looks back at most. */
    private static final long LOOK_BACK = 500;

    /** LIKE takes no storage parameters over. */
    private static final String CREATE = """
            /* bench:create own */
            do $$
            begin
              create table bench.bare (like sluice.job_1 including all);
              execute (select 'alter table bench.bare set (' || array_to_string(reloptions, ', ') || ')'
                from pg_class where oid = 'sluice.job_1'::regclass and reloptions is not null);
            end $$""";

    private static final String ENQUEUE = """
            /* bench:enqueue own */
            insert into bench.bare (queue, priority, id, kind, payload)
            select ?, 2, nextval('sluice.job_id'), 'enter', one::json from unnest(?::text[]) one""";

    private static final String CLAIM = """
            /* bench:own */
            with taken as (
              delete from bench.bare j
              where j.ctid = any(array(
                select candidate.ctid
                from unnest('{0,1,2,3}'::smallint[], ?::bigint[]) as reach(priority, pos)
                cross join lateral (
                  select job.ctid from bench.bare job
                  where job.queue = ? and job.priority = reach.priority and job.pos > reach.pos
                    and job.lease is null and not job.alone
                    and job.xmax = 0
                    and coalesce(job.kind = any(?), true) and job.kind <> all(?)
                  order by job.pos limit ?
                  for update skip locked) candidate
                limit ?))
              returning j.*
            )
            select t.priority, t.pos, t.id, t.kind, t.payload, t.attempt, t.alone, t.enqueued_at
            from taken t order by t.priority, t.pos""";

    private final AtomicLong position = new AtomicLong();

    @Override
    public String name() {
        return "bench.bare";
    }

    @Override
    public String create() {
        return CREATE;
    }

    @Override
    public String enqueue() {
        return ENQUEUE;
    }

    @Override
    public BareClaim claimOn(Connection connection, int batch) throws SQLException {
        PreparedStatement claim = connection.prepareStatement(CLAIM);
        return () -> {
            Long after = Math.max(0, position.get() - LOOK_BACK);
            claim.setArray(1, connection.createArrayOf("bigint", new Long[] {after, after, after, after}));
            claim.setString(2, QUEUE);
            claim.setArray(3, connection.createArrayOf("text", new String[] {KIND}));
            claim.setArray(4, connection.createArrayOf("text", new String[0]));
            claim.setInt(5, batch);
            claim.setInt(6, batch);
            List<BareClaim.Row> rows = BareClaim.read(claim);
            if (!rows.isEmpty()) {
                position.accumulateAndGet(rows.get(rows.size() - 1).pos(), Math::max);
            }
            return rows.size();
        };
    }
}
