package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The leased claim: one statement, so one transaction and one flush, sets a lease on a batch of jobs, notes where they
 * are, and forgets the claims that are finished. Belongs to one connection and one thread.
 */
public final class Claim {

    private static final String CLAIM = """
            /* sluice:claim */
            with finished as (
              delete from {schema}.claim_1 where lease = any(?)
            ), leased as (
              update {schema}.job_1 set lease = ?
              where ctid = any(array(
                select candidate.ctid
                from unnest('{0,1,2,3}'::smallint[], ?::bigint[]) as reach(priority, pos)
                cross join lateral (
                  select job.ctid from {schema}.job_1 job
                  where job.queue = ? and job.priority = reach.priority and job.pos > reach.pos
                    and job.lease is null and not job.alone
                    and coalesce(job.kind = any(?), true) and job.kind <> all(?)
                  order by job.pos limit ?
                  for update skip locked) candidate
                limit ?))
              returning priority, pos, id, kind, payload, attempt, alone, enqueued_at
            ), noted as (
              insert into {schema}.claim_1 (lease, priority, queue, node, first_pos, last_pos)
              select ?, priority, ?, ?, min(pos), max(pos) from leased group by priority
            )
            select * from leased order by priority, pos
            """;

    private static final String CLAIM_ALONE = """
            /* sluice:claim alone */
            with leased as (
              update {schema}.job_1 set lease = ?
              where ctid = any(array(
                select ctid from {schema}.job_1
                where queue = ? and lease is null and alone and coalesce(kind = any(?), true) and kind <> all(?)
                order by priority, pos limit 1
                for update skip locked))
              returning priority, pos, id, kind, payload, attempt, alone, enqueued_at
            ), noted as (
              insert into {schema}.claim_1 (lease, priority, queue, node, first_pos, last_pos)
              select ?, priority, ?, ?, pos, pos from leased
            )
            select * from leased
            """;

    private static final String FORGET = """
            /* sluice:forget */
            delete from {schema}.claim_1 where lease = any(?)
            """;

    private final Connection connection;
    private final long node;
    private final PreparedStatement claim;
    private final PreparedStatement claimAlone;
    private final PreparedStatement forget;
    private final Positions positions;

    /**
     * @param connection in autocommit; its planner settings are changed
     * @param node       whose claims these are
     * @param positions  how far its claims have come
     */
    public Claim(Connection connection, Schema schema, long node, Positions positions) throws SQLException {
        this.connection = connection;
        this.node = node;
        this.positions = positions;
        try (Statement statement = connection.createStatement()) {
            // The statistics of a table that churns say "almost empty", and the planner would then read all of it, dead
            // rows included, or sort. Only the index in its order and the row addresses are right, whatever they say.
            statement.execute("set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off;"
                    + " set plan_cache_mode = force_generic_plan; set jit = off");
        }
        this.claim = connection.prepareStatement(schema.sql(CLAIM));
        this.claimAlone = connection.prepareStatement(schema.sql(CLAIM_ALONE));
        this.forget = connection.prepareStatement(schema.sql(FORGET));
    }

    /** How far this node's claims have come. */
    public Positions positions() {
        return positions;
    }

    /**
     * Claims up to {@code most} jobs that may run together.
     *
     * @param finished leases whose jobs are all done with
     * @return the jobs in their order; all of one lease; empty if there are none
     */
    public List<Job> claim(String queue, int most, Kinds kinds, Long[] finished) throws SQLException {
        Position position = positions.of(queue, kinds);
        Position.Reach reach = position.reach();
        long lease = newLease();
        claim.setArray(1, connection.createArrayOf("bigint", finished));
        claim.setLong(2, lease);
        claim.setArray(3, connection.createArrayOf("bigint", reach.after()));
        claim.setString(4, queue);
        claim.setArray(5, kinds.only(connection));
        claim.setArray(6, kinds.except(connection));
        claim.setInt(7, most);
        claim.setInt(8, most);
        claim.setLong(9, lease);
        claim.setString(10, queue);
        claim.setLong(11, node);
        List<Job> jobs = JobRow.list(claim, queue, lease);
        for (Job job : jobs) {
            position.claimed(reach, job.priority(), job.pos());
        }
        return jobs;
    }

    /** Claims one job that has to run by itself; empty if there is none. */
    public List<Job> claimAlone(String queue, Kinds kinds) throws SQLException {
        long lease = newLease();
        claimAlone.setLong(1, lease);
        claimAlone.setString(2, queue);
        claimAlone.setArray(3, kinds.only(connection));
        claimAlone.setArray(4, kinds.except(connection));
        claimAlone.setLong(5, lease);
        claimAlone.setString(6, queue);
        claimAlone.setLong(7, node);
        return JobRow.list(claimAlone, queue, lease);
    }

    /** Forgets claims whose jobs are all done with. */
    public void forget(Long[] finished) throws SQLException {
        forget.setArray(1, connection.createArrayOf("bigint", finished));
        forget.executeUpdate();
    }

    private static long newLease() {
        return ThreadLocalRandom.current().nextLong();
    }
}
