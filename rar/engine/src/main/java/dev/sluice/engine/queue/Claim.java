package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Deque;
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
              -- one that is locked is being carried over or rescued, and need not be waited for
              delete from {schema}.claim_{epoch} where ctid = any(array(
                select ctid from {schema}.claim_{epoch} where lease = any(?) for update skip locked))
            ), leased as (
              update {schema}.job_{epoch} set lease = ?
              where ctid = any(array(
                select candidate.ctid
                from unnest(?::smallint[], ?::bigint[]) as reach(priority, pos)
                cross join lateral (
                  select job.ctid from {schema}.job_{epoch} job
                  where job.queue = ? and job.priority = reach.priority and job.pos > reach.pos
                    and job.lease is null and not job.alone
                    and coalesce(job.kind = any(?), true) and job.kind <> all(?)
                  order by job.pos limit ?
                  for update skip locked) candidate
                limit ?))
              returning priority, pos, id, kind, payload, attempt, alone, enqueued_at
            ), noted as (
              insert into {schema}.claim_{epoch} (lease, priority, queue, node, first_pos, last_pos)
              select ?, priority, ?, ?, min(pos), max(pos) from leased group by priority
            )
            select epoch.last_value as current_epoch, newest.last_value as newest_pos, leased.*
            from {schema}.job_epoch epoch cross join {schema}.job_pos newest left join leased on true
            order by priority, pos
            """;

    private static final String CLAIM_ALONE = """
            /* sluice:claim alone */
            with leased as (
              update {schema}.job_{epoch} set lease = ?
              where ctid = any(array(
                select ctid from {schema}.job_{epoch}
                where queue = ? and lease is null and alone and coalesce(kind = any(?), true) and kind <> all(?)
                order by priority, pos limit 1
                for update skip locked))
              returning priority, pos, id, kind, payload, attempt, alone, enqueued_at
            ), noted as (
              insert into {schema}.claim_{epoch} (lease, priority, queue, node, first_pos, last_pos)
              select ?, priority, ?, ?, pos, pos from leased
            )
            select epoch.last_value as current_epoch, newest.last_value as newest_pos, leased.*
            from {schema}.job_epoch epoch cross join {schema}.job_pos newest left join leased on true
            """;

    private static final String FORGET = """
            /* sluice:forget */
            delete from {schema}.claim_{epoch} where ctid = any(array(
              select ctid from {schema}.claim_{epoch} where lease = any(?) for update skip locked))
            """;

    /** Leases whose jobs are all done with, so that their claims can be forgotten on the way. */
    public interface Finished {

        /** Those of an epoch, each only once. */
        Long[] take(int epoch);

        /** They could not be forgotten after all. */
        void giveBack(int epoch, Long[] leases);
    }

    private final Connection connection;
    private final Schema schema;
    private final long node;
    private final Epochs epochs;
    /** Prepared when they are first needed: most of the time one epoch is all there is. */
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /**
     * @param connection in autocommit; its planner settings are changed
     * @param node       whose claims these are
     * @param epochs     where it claims
     */
    public Claim(Connection connection, Schema schema, long node, Epochs epochs) throws SQLException {
        this.connection = connection;
        this.schema = schema;
        this.node = node;
        this.epochs = epochs;
        try (Statement statement = connection.createStatement()) {
            // The statistics of a table that churns say "almost empty", and the planner would then read all of it, dead
            // rows included, or sort. Only the index in its order and the row addresses are right, whatever they say.
            statement.execute("set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off;"
                    + " set plan_cache_mode = force_generic_plan; set jit = off");
        }
    }

    /** Where this node claims. */
    public Epochs epochs() {
        return epochs;
    }

    private PreparedStatement prepare(String statement, int epoch) throws SQLException {
        String sql = schema.sql(statement, epoch);
        PreparedStatement known = prepared.get(sql);
        if (known == null) {
            known = connection.prepareStatement(sql);
            prepared.put(sql, known);
        }
        return known;
    }

    /**
     * Claims up to {@code most} jobs that may run together.
     *
     * @param finished asked for what can be forgotten
     * @return the jobs in their order, those of an epoch under a lease of their own; empty if there are none
     */
    public List<Job> claim(String queue, int most, Kinds kinds, Finished finished) throws SQLException {
        List<Job> jobs = new ArrayList<>();
        Deque<Epochs.Look> looks = epochs.looks(queue, kinds);
        while (jobs.size() < most && !looks.isEmpty()) {
            Epochs.Look look = looks.poll();
            Long[] leases = finished.take(look.epoch());
            int asked = most - jobs.size();
            JobRow.Sequences sequences;
            try {
                List<Job> brought = new ArrayList<>();
                sequences = claim(look, queue, asked, kinds, leases, brought);
                look.brought(brought, brought.size() < asked, sequences.newest());
                jobs.addAll(brought);
            } catch (SQLException e) {
                finished.giveBack(look.epoch(), leases);
                throw e;
            }
            if (epochs.current(sequences.epoch())) {
                looks = epochs.looks(queue, kinds);
            }
        }
        return jobs;
    }

    private JobRow.Sequences claim(
            Epochs.Look look, String queue, int most, Kinds kinds, Long[] finished, List<Job> jobs)
            throws SQLException {
        long lease = newLease();
        PreparedStatement claim = prepare(CLAIM, look.epoch());
        claim.setArray(1, connection.createArrayOf("bigint", finished));
        claim.setLong(2, lease);
        claim.setArray(3, connection.createArrayOf("smallint", look.priorities()));
        claim.setArray(4, connection.createArrayOf("bigint", look.after()));
        claim.setString(5, queue);
        claim.setArray(6, kinds.only(connection));
        claim.setArray(7, kinds.except(connection));
        claim.setInt(8, most);
        claim.setInt(9, most);
        claim.setLong(10, lease);
        claim.setString(11, queue);
        claim.setLong(12, node);
        return JobRow.read(claim, look.epoch(), queue, lease, jobs);
    }

    /** Claims one job of this epoch that has to run by itself; empty if there is none. */
    public List<Job> claimAlone(int epoch, String queue, Kinds kinds) throws SQLException {
        long lease = newLease();
        PreparedStatement claim = prepare(CLAIM_ALONE, epoch);
        claim.setLong(1, lease);
        claim.setString(2, queue);
        claim.setArray(3, kinds.only(connection));
        claim.setArray(4, kinds.except(connection));
        claim.setLong(5, lease);
        claim.setString(6, queue);
        claim.setLong(7, node);
        List<Job> jobs = new ArrayList<>();
        JobRow.read(claim, epoch, queue, lease, jobs);
        return jobs;
    }

    /** Forgets claims of jobs that are all done with; one that is locked is left to the rescue. */
    public void forget(Finished finished) throws SQLException {
        for (int epoch = 1; epoch <= Epochs.TABLES; epoch++) {
            Long[] leases = finished.take(epoch);
            if (leases.length == 0) {
                continue;
            }
            try {
                PreparedStatement forget = prepare(FORGET, epoch);
                forget.setArray(1, connection.createArrayOf("bigint", leases));
                forget.executeUpdate();
            } catch (SQLException e) {
                finished.giveBack(epoch, leases);
                throw e;
            }
        }
    }

    private static long newLease() {
        return ThreadLocalRandom.current().nextLong();
    }
}
