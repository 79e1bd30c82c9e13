package dev.sluice.engine.xa;

import dev.sluice.engine.database.Remedy;
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

    /** The second phase failed; a transaction manager asks again unless there is nothing of that name. */
    static XAException secondPhase(String doing, Gid xid, SQLException cause) {
        boolean unknownName = "42704".equals(cause.getSQLState());
        return error(unknownName ? XAException.XAER_NOTA : XAException.XAER_RMFAIL, doing, xid, cause);
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
