package dev.sluice.engine.recovery;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Schema;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A node's eye on the transactions in doubt, with every other heartbeat: counts them, names the old ones in the log and
 * carries out what people decided with {@code resolve}. Any number of nodes may do it at once. Of one thread, but for
 * {@link #last}.
 */
public final class InDoubtWatch {

    /** A two-phase commit that runs is prepared for milliseconds; in doubt is what has been for longer than this. */
    public static final Duration GRACE = Duration.ofSeconds(5);

    /** How long a transaction may be in doubt before the log says so. Its coordinator may well come back. */
    static final Duration ALARM = Duration.ofMinutes(1);

    /** An end that takes longer than this, in seconds, is left to the next look. */
    private static final int END_TIMEOUT = 10;

    private static final String IN_DOUBT = """
            /* sluice:in_doubt */
            select d.gid, d.owner, d.prepared_at::timestamptz(0)::text, extract(epoch from d.age)::float8 as seconds,
              exists (select from {schema}.resolution where done_at is null) as decisions
            from (values (1)) one left join {schema}.in_doubt d on true order by d.prepared_at
            """;

    private static final Logger LOG = System.getLogger(InDoubtWatch.class.getName());

    private final Database database;
    private final Schema schema;
    private final Duration grace;
    private final Duration alarm;
    private final Set<String> named = new HashSet<>();
    private String logged;
    private volatile InDoubt last = InDoubt.UNKNOWN;

    public InDoubtWatch(Database database) {
        this(database, GRACE, ALARM);
    }

    /**
     * @param grace how long a transaction may be prepared before it counts
     * @param alarm how long before the log says so
     */
    InDoubtWatch(Database database, Duration grace, Duration alarm) {
        this.database = database;
        this.schema = database.schema();
        this.grace = grace;
        this.alarm = alarm;
    }

    /** What the last look saw. */
    public InDoubt last() {
        return last;
    }

    /**
     * Looks, and does what there is to do. What hinders it hinders nothing else of the node.
     *
     * @param control the node's connection, in autocommit
     * @throws SQLException if the connection is lost
     */
    public void look(Connection control) throws SQLException {
        try {
            if (see(control)) {
                Resolutions resolutions = new Resolutions(control, schema);
                List<Resolutions.Pending> pending = resolutions.pending();
                for (Resolutions.Pending one : pending) {
                    carryOut(one, resolutions);
                }
            }
            logged = null;
        } catch (SQLException e) {
            last = InDoubt.UNKNOWN;
            if (Remedy.connectionLost(e)) {
                throw e;
            }
            logOnce("Transactions in doubt cannot be seen: " + Remedy.explain(e));
        }
    }

    /** Whether there are decisions to carry out. */
    private boolean see(Connection control) throws SQLException {
        boolean decisions = false;
        int count = 0;
        double oldest = 0;
        Set<String> seen = new HashSet<>();
        try (PreparedStatement query = control.prepareStatement(schema.sql(IN_DOUBT));
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                decisions = row.getBoolean("decisions");
                // zero where nothing is in doubt
                double seconds = row.getDouble("seconds");
                if (seconds > seconds(grace)) {
                    count++;
                    oldest = Math.max(oldest, seconds);
                }
                if (seconds > seconds(alarm)) {
                    String gid = row.getString("gid");
                    seen.add(gid);
                    if (named.add(gid)) {
                        name(gid, row.getString("owner"), row.getString("prepared_at"));
                    }
                }
            }
        }
        named.retainAll(seen);
        last = new InDoubt(count, (long) oldest);
        return decisions;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }

    private void name(String gid, String owner, String since) {
        LOG.log(
                Level.WARNING,
                "Transaction {0} of role {1} has been prepared since {2} and is in doubt: until its transaction manager ends it,"
                        + " it holds its locks and keeps vacuum from removing rows. Start the server that prepared it. If that is"
                        + " lost for good, see in the ledger of the other resource whether the transaction was committed there;"
                        + " then select {3}.resolve(''{0}'', ''commit'') or {3}.resolve(''{0}'', ''rollback'')",
                gid,
                owner,
                since,
                schema.quoted());
    }

    private void carryOut(Resolutions.Pending resolution, Resolutions resolutions) throws SQLException {
        if (!resolution.prepared()) {
            // ended by a node that could not note it any more, or by its coordinator
            found(resolution, resolutions);
            return;
        }
        if (!resolution.mayEnd()) {
            refused(
                    resolution,
                    resolutions,
                    "the role of this node is not " + resolution.owner()
                            + ", which prepared it, and may not become it: grant " + resolution.owner()
                            + " to the role of a node");
            return;
        }
        try (Connection connection = database.openWithTimeout("recovery", END_TIMEOUT)) {
            PreparedTransactions.end(connection, resolution.gid(), resolution.verdict());
        } catch (SQLException e) {
            // with the next look: it is not prepared any more; we shall see; another node is at it
            if (!PreparedTransactions.UNKNOWN_NAME.equals(e.getSQLState())
                    && !Remedy.passing(e)
                    && !PreparedTransactions.BUSY.equals(e.getSQLState())) {
                refused(resolution, resolutions, Remedy.explain(e));
            }
            return;
        }
        if (resolutions.done(resolution, resolution.verdict(), null)) {
            LOG.log(
                    Level.WARNING,
                    "Transaction {0} was in doubt: {1} done, as {2} asked",
                    resolution.gid(),
                    resolution.verdict().text(),
                    resolution.requestedBy());
        }
    }

    private void refused(Resolutions.Pending resolution, Resolutions resolutions, String why) throws SQLException {
        if (resolutions.failed(resolution, why)) {
            LOG.log(
                    Level.WARNING,
                    "Transaction {0} is in doubt, and its {1} that {2} asked for failed: {3}",
                    resolution.gid(),
                    resolution.verdict().text(),
                    resolution.requestedBy(),
                    why);
        }
    }

    private void found(Resolutions.Pending resolution, Resolutions resolutions) throws SQLException {
        Verdict outcome = resolution.outcome();
        String error = null;
        if (outcome == null) {
            error = "it is not prepared any more, and PostgreSQL does not know how it ended";
        } else if (outcome != resolution.verdict()) {
            error = "it had ended otherwise before: its coordinator came back, or somebody ended it by hand";
        }
        if (resolutions.done(resolution, outcome, error)) {
            LOG.log(
                    Level.WARNING,
                    "Transaction {0}, for which {1} asked for {2}, has ended: {3}{4}",
                    resolution.gid(),
                    resolution.requestedBy(),
                    resolution.verdict().text(),
                    outcome == null ? "nobody knows how" : outcome.text(),
                    error == null ? "" : "; " + error);
        }
    }

    private void logOnce(String problem) {
        if (!problem.equals(logged)) {
            logged = problem;
            LOG.log(Level.WARNING, problem);
        }
    }
}
