package dev.sluice.engine.recovery;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What people decided of transactions in doubt: the table {@code resolution}. Needs a connection in autocommit, since it
 * is to see and to keep each fact at once.
 */
public final class Resolutions {

    /**
     * A verdict that is still to be carried out.
     *
     * @param transaction the transaction's id
     * @param requestedBy the role that asked for it
     * @param owner       the role that prepared the transaction; null if it is not prepared any more
     * @param mayEnd      whether this role may end it
     * @param outcome     how it ended then; null if PostgreSQL does not know any more
     */
    record Pending(
            String gid,
            String transaction,
            Verdict verdict,
            String requestedBy,
            String owner,
            boolean mayEnd,
            Verdict outcome) {

        boolean prepared() {
            return owner != null;
        }
    }

    /** What a coordinator is to be told of a transaction that people decided. */
    public enum Heuristic {
        COMMITTED("committed"),
        ROLLED_BACK("rolled back"),
        /** PostgreSQL does not know any more how it ended. */
        UNKNOWN("nobody knows how");

        private final String text;

        Heuristic(String text) {
            this.text = text;
        }

        /** For a person. */
        public String text() {
            return text;
        }

        /** @param outcome null for unknown */
        public static Heuristic of(Verdict outcome) {
            if (outcome == null) {
                return UNKNOWN;
            }
            return outcome == Verdict.COMMIT ? COMMITTED : ROLLED_BACK;
        }
    }

    /** There are no such tables, or functions: nobody can have decided anything. */
    private static final Set<String> NO_TABLE = Set.of("42P01", "3F000", "42883");

    private static final String PENDING = """
            /* sluice:verdicts */
            select r.gid, r.transaction::text, r.verdict, r.requested_by,
              case when p.gid is not null then coalesce(p.owner, 'unknown') end as owner,
              {schema}.may_end(p.owner) as may_end,
              case when p.gid is null then {schema}.outcome(r.transaction) end as outcome
            from {schema}.resolution r
            left join pg_prepared_xacts p on p.gid = r.gid and p.database = current_database()
              and {schema}.full_xid(p.transaction) = r.transaction
            where r.done_at is null and {schema}.is_branch(r.gid)
            order by r.requested_at
            """;

    /** Where the transaction ended otherwise, nobody but its coordinator decided. */
    private static final String DONE = """
            /* sluice:verdict_done */
            update {schema}.resolution
            set done_at = clock_timestamp(), outcome = ?, error = ?,
              forgotten_at = case when verdict <> ? then clock_timestamp() else forgotten_at end
            where gid = ? and transaction = ?::xid8 and done_at is null
            """;

    private static final String FAILED = """
            /* sluice:verdict_failed */
            update {schema}.resolution set error = ?
            where gid = ? and transaction = ?::xid8 and done_at is null and error is distinct from ?
            """;

    private static final String HEURISTIC = """
            /* sluice:heuristic */
            select coalesce(r.outcome, {schema}.outcome(r.transaction)) from {schema}.resolution r
            where r.gid = ? and r.forgotten_at is null
            order by r.requested_at desc limit 1
            """;

    private static final String COMPLETED = """
            /* sluice:completed */
            select distinct r.gid from {schema}.resolution r
            where r.forgotten_at is null and not exists (select from pg_prepared_xacts p where p.gid = r.gid)
            """;

    private static final String FORGET = """
            /* sluice:forget */
            select {schema}.forget(?)
            """;

    private final Connection connection;
    private final Schema schema;

    public Resolutions(Connection connection, Schema schema) {
        this.connection = connection;
        this.schema = schema;
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        return connection.prepareStatement(schema.sql(sql));
    }

    List<Pending> pending() throws SQLException {
        List<Pending> pending = new ArrayList<>();
        try (PreparedStatement query = prepare(PENDING);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                pending.add(new Pending(
                        row.getString("gid"),
                        row.getString("transaction"),
                        Verdict.of(row.getString("verdict")),
                        row.getString("requested_by"),
                        row.getString("owner"),
                        row.getBoolean("may_end"),
                        Verdict.of(row.getString("outcome"))));
            }
        }
        return pending;
    }

    /**
     * The transaction has ended.
     *
     * @param outcome how; null if nobody knows
     * @param error   what was not as it was to be; null for nothing
     * @return whether it was not noted before
     */
    boolean done(Pending resolution, Verdict outcome, String error) throws SQLException {
        String how = outcome == null ? null : outcome.text();
        try (PreparedStatement update = prepare(DONE)) {
            update.setString(1, how);
            update.setString(2, error);
            update.setString(3, how);
            update.setString(4, resolution.gid());
            update.setString(5, resolution.transaction());
            return update.executeUpdate() == 1;
        }
    }

    /**
     * It could not be carried out yet.
     *
     * @return whether that was not noted before
     */
    boolean failed(Pending resolution, String error) throws SQLException {
        try (PreparedStatement update = prepare(FAILED)) {
            update.setString(1, error);
            update.setString(2, resolution.gid());
            update.setString(3, resolution.transaction());
            update.setString(4, error);
            return update.executeUpdate() == 1;
        }
    }

    /** What is to be told of a transaction that is not prepared any more; null if nobody decided it, or it is forgotten. */
    public Heuristic heuristic(String gid) throws SQLException {
        try (PreparedStatement query = prepare(HEURISTIC)) {
            query.setString(1, gid);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                return Heuristic.of(Verdict.of(row.getString(1)));
            }
        } catch (SQLException e) {
            if (NO_TABLE.contains(e.getSQLState())) {
                return null;
            }
            throw e;
        }
    }

    /**
     * The names of those that were decided, have ended, and whose coordinators may not know of it. None where this role
     * may not see them: what is prepared is the more urgent part of a recovery.
     */
    public List<String> completed() throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement query = prepare(COMPLETED);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                names.add(row.getString(1));
            }
        } catch (SQLException e) {
            if (!NO_TABLE.contains(e.getSQLState()) && !PreparedTransactions.NOT_ALLOWED.equals(e.getSQLState())) {
                throw e;
            }
        }
        return names;
    }

    /** The coordinator knows; false if there is nothing to forget. */
    public boolean forget(String gid) throws SQLException {
        try (PreparedStatement call = prepare(FORGET)) {
            call.setString(1, gid);
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        } catch (SQLException e) {
            if (NO_TABLE.contains(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }
}
