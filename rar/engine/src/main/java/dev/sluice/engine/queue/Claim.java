package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
                    and job.lease is null and not job.alone and job.kind <> all(?)
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
                where queue = ? and lease is null and alone and kind <> all(?)
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
    private final Map<String, Positions> positions = new HashMap<>();

    /**
     * @param connection in autocommit; its planner settings are changed
     * @param node       whose claims these are
     */
    public Claim(Connection connection, Schema schema, long node) throws SQLException {
        this.connection = connection;
        this.node = node;
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

    /**
     * Claims up to {@code most} jobs that may run together.
     *
     * @param others   kinds to leave, since another subscriber of this node has room of its own for them
     * @param finished leases whose jobs are all done with
     * @return the jobs in their order; all of one lease; empty if there are none
     */
    public List<Job> claim(String queue, int most, String[] others, Long[] finished) throws SQLException {
        Positions position = positions.computeIfAbsent(queue, name -> new Positions());
        long lease = newLease();
        Array finishedLeases = connection.createArrayOf("bigint", finished);
        Array after = connection.createArrayOf("bigint", position.after());
        claim.setArray(1, finishedLeases);
        claim.setLong(2, lease);
        claim.setArray(3, after);
        claim.setString(4, queue);
        claim.setArray(5, connection.createArrayOf("text", others));
        claim.setInt(6, most);
        claim.setInt(7, most);
        claim.setLong(8, lease);
        claim.setString(9, queue);
        claim.setLong(10, node);
        List<Job> jobs = read(claim, queue, lease);
        for (Job job : jobs) {
            position.claimed(job.priority(), job.pos());
        }
        return jobs;
    }

    /** Claims one job that has to run by itself; empty if there is none. */
    public List<Job> claimAlone(String queue, String[] others) throws SQLException {
        long lease = newLease();
        claimAlone.setLong(1, lease);
        claimAlone.setString(2, queue);
        claimAlone.setArray(3, connection.createArrayOf("text", others));
        claimAlone.setLong(4, lease);
        claimAlone.setString(5, queue);
        claimAlone.setLong(6, node);
        return read(claimAlone, queue, lease);
    }

    /** Forgets claims whose jobs are all done with. */
    public void forget(Long[] finished) throws SQLException {
        forget.setArray(1, connection.createArrayOf("bigint", finished));
        forget.executeUpdate();
    }

    /** The sweep saw this job waiting: claims must reach it. */
    public void waiting(String queue, int priority, long pos) {
        positions.computeIfAbsent(queue, name -> new Positions()).waiting(priority, pos);
    }

    private static long newLease() {
        return ThreadLocalRandom.current().nextLong();
    }

    private static List<Job> read(PreparedStatement statement, String queue, long lease) throws SQLException {
        List<Job> jobs = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                jobs.add(new Job(
                        queue,
                        row.getShort("priority"),
                        row.getLong("pos"),
                        row.getLong("id"),
                        row.getString("kind"),
                        row.getString("payload"),
                        row.getInt("attempt"),
                        row.getBoolean("alone"),
                        row.getObject("enqueued_at", OffsetDateTime.class).toInstant(),
                        lease));
            }
        }
        return jobs;
    }
}
