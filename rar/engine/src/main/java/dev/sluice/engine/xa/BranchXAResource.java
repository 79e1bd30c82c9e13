package dev.sluice.engine.xa;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Remedy;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The XAResource of a {@link Branch}, on a plain connection.
 *
 * <p>States of the branch: none, active (start), ended (end), prepared (prepare). Other than that of pgjdbc it never
 * takes for committed what PostgreSQL silently rolled back: COMMIT and PREPARE TRANSACTION in a failed transaction
 * answer ROLLBACK without an error.
 */
public final class BranchXAResource extends PostgresXAResource {

    private enum State {
        NONE,
        ACTIVE,
        ENDED,
        PREPARED
    }

    private static final Logger LOG = System.getLogger(BranchXAResource.class.getName());

    private final Branch branch;
    private volatile State state = State.NONE;
    private Gid current;
    /** In seconds; 0 if the transaction manager has not said. */
    private volatile int timeout;

    private volatile long activeSince;
    /** Its second phase was asked for, and the answer was lost. */
    private boolean asked;
    /** Its end said so: it can only roll back. */
    private boolean failed;
    /** The answer to its prepare was lost. */
    private boolean unheard;

    public BranchXAResource(Branch branch, Database database) {
        super(new PreparedBranches(() -> database, "second phase"));
        this.branch = branch;
    }

    /** Whether a branch is between its start and its end, so that work belongs to it. */
    public boolean active() {
        return state == State.ACTIVE;
    }

    /** Whether the branch is prepared and its second phase has not been heard of. */
    public boolean inDoubt() {
        return state == State.PREPARED;
    }

    /** Whether a branch that is in doubt can only roll back, here or through another resource: it never voted to commit. */
    public boolean neverVoted() {
        return unheard;
    }

    /**
     * Whether the branch is active for longer than its transaction may last. Never, where the transaction manager does not say
     * how long that is.
     *
     * @param grace what it is given beyond
     */
    public boolean overdue(Duration grace) {
        long most = TimeUnit.SECONDS.toNanos(timeout) + grace.toNanos();
        return timeout > 0 && active() && System.nanoTime() - activeSince > most;
    }

    @Override
    public int getTransactionTimeout() {
        return timeout;
    }

    /** Says how long the next transaction may last (JTA 2.0, section 3.4.9). It is the caller's to enforce. */
    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        if (seconds < 0) {
            throw XAErrors.error(XAException.XAER_INVAL, "a timeout of " + seconds + " s", current, null);
        }
        timeout = seconds;
        return true;
    }

    /** Precondition: no branch. The transaction itself begins with the first work. */
    @Override
    public void start(Xid xid, int flags) throws XAException {
        Gid gid = Gid.of(xid);
        if (flags == TMJOIN && state == State.ENDED && gid.equals(current)) {
            state = State.ACTIVE;
            return;
        }
        if (flags != TMNOFLAGS) {
            throw XAErrors.error(XAException.XAER_INVAL, "start with flags " + flags, gid, null);
        }
        if (state != State.NONE) {
            throw protocol("start", gid);
        }
        current = gid;
        failed = false;
        asked = false;
        unheard = false;
        activeSince = System.nanoTime();
        state = State.ACTIVE;
    }

    /** Precondition: active with this xid. */
    @Override
    public void end(Xid xid, int flags) throws XAException {
        require(State.ACTIVE, "end", xid);
        if (flags == TMSUSPEND) {
            throw XAErrors.error(XAException.XAER_INVAL, "suspending end", current, null);
        }
        failed = flags == TMFAIL;
        state = State.ENDED;
    }

    /** Precondition: ended with this xid. Read-only if nothing was done in the branch. */
    @Override
    public int prepare(Xid xid) throws XAException {
        require(State.ENDED, "prepare", xid);
        Connection connection = finishWork("prepare");
        if (connection == null) {
            completed(Branch.Outcome.COMMITTED, true);
            return XA_RDONLY;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("prepare transaction '" + current + "'");
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                // It may be prepared. After this error a transaction manager rolls back, which finds out.
                state = State.PREPARED;
                unheard = true;
                branch.refused(e);
                throw XAErrors.error(XAException.XAER_RMFAIL, "prepare", current, e);
            }
            throw rollBackAfter("prepare", e);
        }
        state = State.PREPARED;
        return XA_OK;
    }

    /** Precondition: ended (one phase), or prepared, here or elsewhere. */
    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        if (!onePhase) {
            Gid gid = Gid.of(xid);
            try {
                prepared().commit(gid, ownIdle(gid));
            } catch (XAException e) {
                throwUnlessDone(gid, e);
            }
            endSecondPhase(gid, Branch.Outcome.COMMITTED);
            return;
        }
        require(State.ENDED, "one-phase commit", xid);
        Connection connection = finishWork("one-phase commit");
        if (connection == null) {
            completed(Branch.Outcome.COMMITTED, true);
            return;
        }
        String process = serverProcess(connection);
        try {
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                decide(e, process);
                return;
            }
            throw rollBackAfter("one-phase commit", e);
        }
        completed(Branch.Outcome.COMMITTED, true);
    }

    private void decide(SQLException lost, String process) throws XAException {
        Gid gid = current;
        Boolean committed = branch.decide();
        if (committed == null) {
            LOG.log(
                    Level.WARNING,
                    "It is not known whether transaction {0} was committed, in server process {1}: its connection broke during"
                            + " the commit ({2}). What it wrote is there as a whole or not at all: look before you repeat it",
                    gid,
                    process,
                    Remedy.explain(lost));
            completed(Branch.Outcome.UNKNOWN, false);
            throw XAErrors.error(XAException.XAER_RMFAIL, "one-phase commit", gid, lost);
        }
        completed(committed ? Branch.Outcome.COMMITTED : Branch.Outcome.ROLLED_BACK, false);
        if (!committed) {
            throw XAErrors.rolledBack("one-phase commit", gid, lost);
        }
    }

    /** By which the server's log names the session. To be asked for as long as the connection is not known to be broken. */
    private static String serverProcess(Connection connection) {
        try {
            return String.valueOf(connection.unwrap(PGConnection.class).getBackendPID());
        } catch (SQLException e) {
            return "unknown";
        }
    }

    /** Precondition: active, ended, or prepared, here or elsewhere. */
    @Override
    public void rollback(Xid xid) throws XAException {
        Gid gid = Gid.of(xid);
        if (gid.equals(current) && (state == State.ACTIVE || state == State.ENDED)) {
            Connection connection = branch.open();
            completed(Branch.Outcome.ROLLED_BACK, connection == null || rolledBack(connection));
            return;
        }
        try {
            prepared().rollback(gid, ownIdle(gid));
        } catch (XAException e) {
            if (e.errorCode == XAException.XAER_NOTA && !asked) {
                // the prepare whose answer was lost had not come to pass
                endSecondPhase(gid, Branch.Outcome.ROLLED_BACK);
            }
            throwUnlessDone(gid, e);
        }
        endSecondPhase(gid, Branch.Outcome.ROLLED_BACK);
    }

    /** Does the last work; returns the connection, or null if nothing was done at all. */
    private Connection finishWork(String doing) throws XAException {
        try {
            if (failed) {
                throw new Branch.RefusedException("the work was ended as failed");
            }
            branch.beforeCompletion();
            Connection connection = branch.open();
            if (connection != null
                    && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED) {
                throw new Branch.RefusedException(
                        "a statement failed in this transaction and its error was swallowed: it can only roll back",
                        swallowed(connection));
            }
            return connection;
        } catch (Branch.RefusedException e) {
            branch.refused(e);
            Gid gid = current;
            Connection connection = branch.open();
            completed(Branch.Outcome.ROLLED_BACK, connection == null || rolledBack(connection));
            throw XAErrors.error(XAException.XA_RBROLLBACK, doing, gid, e);
        } catch (SQLException e) {
            throw rollBackAfter(doing, e);
        }
    }

    /** The driver remembers the first error, and says it to whoever tries to go on. */
    private static SQLException swallowed(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select");
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    private XAException rollBackAfter(String doing, SQLException cause) {
        branch.refused(cause);
        Gid gid = current;
        Connection connection = branch.open();
        boolean usable = connection == null || (rolledBack(connection) && !Remedy.connectionLost(cause));
        completed(Branch.Outcome.ROLLED_BACK, usable);
        return XAErrors.rolledBack(doing, gid, cause);
    }

    private static boolean rolledBack(Connection connection) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
            return true;
        } catch (SQLException e) {
            // the server rolls back when the connection is closed
            return false;
        }
    }

    /** That there is no such branch any more is good news when we have asked for its end before and got no answer. */
    private void throwUnlessDone(Gid gid, XAException error) throws XAException {
        Branch.Outcome heuristic = XAErrors.heuristicOutcome(error);
        if (heuristic != null) {
            endSecondPhase(gid, heuristic);
            throw error;
        }
        boolean ours = gid.equals(current);
        if (ours && asked && error.errorCode == XAException.XAER_NOTA) {
            return;
        }
        asked |= ours && error.errorCode == XAException.XAER_RMFAIL;
        throw error;
    }

    private void endSecondPhase(Gid gid, Branch.Outcome outcome) {
        if (gid.equals(current)) {
            completed(outcome, branch.open() == null || idle(branch.open()));
        }
    }

    /** The connection that prepared the branch, if it was this one: it saves a new one. Null if it was another. */
    private Connection ownIdle(Gid gid) {
        return gid.equals(current) && branch.open() != null && idle(branch.open()) ? branch.open() : null;
    }

    private static boolean idle(Connection connection) {
        try {
            return !connection.isClosed() && connection.getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    private void completed(Branch.Outcome outcome, boolean usable) {
        state = State.NONE;
        current = null;
        branch.completed(outcome, usable);
    }

    private void require(State required, String doing, Xid xid) throws XAException {
        if (state != required || !Gid.of(xid).equals(current)) {
            throw protocol(doing, Gid.of(xid));
        }
    }

    private XAException protocol(String doing, Gid gid) {
        return XAErrors.error(
                XAException.XAER_PROTO, doing + " in state " + state + " with branch " + current, gid, null);
    }
}
