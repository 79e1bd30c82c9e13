package dev.sluice.engine.xa;

import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.recovery.Resolutions;
import java.sql.SQLException;
import javax.transaction.xa.XAException;

/** What an error of PostgreSQL means to a transaction manager (SQLSTATE: PostgreSQL, appendix A). */
final class XAErrors {

    private XAErrors() {}

    /** The transaction was rolled back, for the reason that this error gives. */
    static XAException rolledBack(String doing, Gid xid, SQLException cause) {
        String state = cause.getSQLState() == null ? "" : cause.getSQLState();
        int code;
        if (Remedy.connectionLost(cause)) {
            code = XAException.XA_RBCOMMFAIL;
        } else if (state.equals("40P01")) {
            code = XAException.XA_RBDEADLOCK;
        } else if (state.startsWith("40")) {
            code = XAException.XA_RBTRANSIENT;
        } else if (state.startsWith("23")) {
            code = XAException.XA_RBINTEGRITY;
        } else {
            code = XAException.XA_RBROLLBACK;
        }
        return error(code, doing, xid, cause);
    }

    /**
     * The second phase of a branch that is not prepared any more.
     *
     * @param heuristic what people decided; null if nobody did
     */
    static XAException gone(String doing, Gid xid, Resolutions.Heuristic heuristic, SQLException cause) {
        if (heuristic == null) {
            return error(XAException.XAER_NOTA, doing, xid, cause);
        }
        int code = switch (heuristic) {
            case COMMITTED -> XAException.XA_HEURCOM;
            case ROLLED_BACK -> XAException.XA_HEURRB;
            case UNKNOWN -> XAException.XA_HEURHAZ;
        };
        return error(code, "(resolved by hand: " + heuristic.text() + ") " + doing, xid, cause);
    }

    /** How the branch ended that an error speaks of; null if the error is not about a heuristic outcome. */
    static Branch.Outcome heuristicOutcome(XAException error) {
        return switch (error.errorCode) {
            case XAException.XA_HEURCOM -> Branch.Outcome.COMMITTED;
            case XAException.XA_HEURRB -> Branch.Outcome.ROLLED_BACK;
            case XAException.XA_HEURHAZ -> Branch.Outcome.UNKNOWN;
            default -> null;
        };
    }

    static XAException error(int code, String doing, Object xid, Throwable cause) {
        String text = doing + " of " + xid
                + (cause == null
                        ? ""
                        : " failed: " + (cause instanceof SQLException e ? Remedy.explain(e) : cause.getMessage()));
        XAException exception = new XAException(text);
        exception.errorCode = code;
        exception.initCause(cause);
        return exception;
    }
}
