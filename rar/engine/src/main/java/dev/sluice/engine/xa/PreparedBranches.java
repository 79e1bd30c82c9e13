package dev.sluice.engine.xa;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.recovery.PreparedTransactions;
import dev.sluice.engine.recovery.Resolutions;
import dev.sluice.engine.recovery.Verdict;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/**
 * The second phase of two-phase commit, and recovery: both work from the name of a prepared transaction alone.
 *
 * <p>Where a person decided a branch its coordinator is told so, whatever it asks for and also when it asks for the same:
 * of a branch that was completed heuristically xa_commit and xa_rollback only report how, and the resource manager may not
 * forget it before xa_forget (X/Open CAE specification C193: xa_commit, xa_rollback, xa_recover, xa_forget).
 */
final class PreparedBranches {

    private static final Logger LOG = System.getLogger(PreparedBranches.class.getName());

    private final RecoveryXAResource.DatabaseSource source;
    private final String purpose;

    /** @param purpose of the connections, shown in {@code pg_stat_activity} */
    PreparedBranches(RecoveryXAResource.DatabaseSource source, String purpose) {
        this.source = source;
        this.purpose = purpose;
    }

    /** @param own an idle connection that may be used for it; null for a new one */
    void commit(Gid xid, Connection own) throws XAException {
        end(Verdict.COMMIT, xid, own);
    }

    /** @param own an idle connection that may be used for it; null for a new one */
    void rollback(Gid xid, Connection own) throws XAException {
        end(Verdict.ROLLBACK, xid, own);
    }

    private void end(Verdict verdict, Gid xid, Connection own) throws XAException {
        String doing = verdict == Verdict.COMMIT ? "commit prepared" : "rollback prepared";
        try {
            if (own != null) {
                // not again on another when its answer is lost: then it may be done
                PreparedTransactions.end(own, xid.toString(), verdict);
                return;
            }
            try (Connection connection = source.get().open(purpose)) {
                PreparedTransactions.end(connection, xid.toString(), verdict);
            }
        } catch (SQLException e) {
            if (!PreparedTransactions.UNKNOWN_NAME.equals(e.getSQLState())) {
                throw XAErrors.error(XAException.XAER_RMFAIL, doing, xid, e);
            }
            Resolutions.Heuristic heuristic = heuristic(doing, xid);
            warnOfOpposite(verdict, xid, heuristic);
            throw XAErrors.gone(doing, xid, heuristic, e);
        }
    }

    /** Transaction managers report it in a way of their own, Open Liberty that of a rollback in an FFDC record alone. */
    private static void warnOfOpposite(Verdict asked, Gid xid, Resolutions.Heuristic heuristic) {
        if (heuristic != null && heuristic != Resolutions.Heuristic.of(asked)) {
            LOG.log(
                    Level.WARNING,
                    "Transaction {0}: its transaction manager asks for {1}, but it was resolved by hand: {2}. Its resources may"
                            + " disagree now: compare what they hold of it",
                    xid,
                    asked.text(),
                    heuristic.text());
        }
    }

    private Resolutions.Heuristic heuristic(String doing, Gid xid) throws XAException {
        Database database = database(doing, xid);
        try (Connection connection = database.open(purpose)) {
            return new Resolutions(connection, database.schema()).heuristic(xid.toString());
        } catch (SQLException e) {
            throw XAErrors.error(XAException.XAER_RMFAIL, doing, xid, e);
        }
    }

    /** All that are prepared, and those that were completed heuristically and not yet forgotten. */
    Xid[] list() throws XAException {
        String doing = "recovery";
        Database database = database(doing, "prepared transactions");
        try (Connection connection = database.open(purpose)) {
            Set<String> names = new LinkedHashSet<>(PreparedTransactions.names(connection));
            names.addAll(new Resolutions(connection, database.schema()).completed());
            return names.stream().flatMap(name -> Gid.parse(name).stream()).toArray(Xid[]::new);
        } catch (SQLException e) {
            throw XAErrors.error(XAException.XAER_RMFAIL, doing, "prepared transactions", e);
        }
    }

    void forget(Gid xid) throws XAException {
        String doing = "forget";
        Database database = database(doing, xid);
        try (Connection connection = database.open(purpose)) {
            if (new Resolutions(connection, database.schema()).forget(xid.toString())) {
                return;
            }
            boolean prepared = PreparedTransactions.contains(connection, xid.toString());
            throw XAErrors.error(
                    prepared ? XAException.XAER_PROTO : XAException.XAER_NOTA,
                    prepared ? "forget before the end" : doing,
                    xid,
                    null);
        } catch (SQLException e) {
            throw XAErrors.error(XAException.XAER_RMFAIL, doing, xid, e);
        }
    }

    private Database database(String doing, Object what) throws XAException {
        try {
            return source.get();
        } catch (SQLException e) {
            throw XAErrors.error(XAException.XAER_RMFAIL, doing, what, e);
        }
    }
}
