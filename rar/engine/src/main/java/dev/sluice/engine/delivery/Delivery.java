package dev.sluice.engine.delivery;

import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Transitions;
import dev.sluice.engine.xa.Branch;
import dev.sluice.engine.xa.BranchXAResource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.transaction.xa.XAResource;

/**
 * One job on its way through one handler. In a container transaction its {@linkplain #resource() resource} acknowledges
 * the job when that commits; without one {@link #acknowledge()} does. Either way {@link #settle()} comes last.
 */
public final class Delivery {

    private static final Logger LOG = System.getLogger(Delivery.class.getName());

    /** How long a job waits that this node cannot handle; meanwhile other nodes do not see it either. */
    private static final Duration UNHANDLED_DELAY = Duration.ofSeconds(5);

    /** Causes of causes that are kept of an error. */
    private static final int LONGEST_CAUSES = 10;

    private final Job job;
    private final Workplace workplace;
    private final Deliveries deliveries;
    private final JobBranch branch = new JobBranch();
    private final BranchXAResource resource;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Throwable failure;
    private Branch.Outcome outcome;

    Delivery(Job job, Workplace workplace, Deliveries deliveries) {
        this.job = job;
        this.workplace = workplace;
        this.deliveries = deliveries;
        this.resource = new BranchXAResource(branch, workplace.database());
    }

    public Job job() {
        return job;
    }

    /** Takes part in the handler's transaction. */
    public XAResource resource() {
        return resource;
    }

    /**
     * The connection of the handler's transaction, the same at each call; the transaction begins with the first.
     *
     * @throws SQLException if that transaction is not under way (25000), or there is no connection to be had
     */
    public Connection connection() throws SQLException {
        if (!resource.active()) {
            throw new SQLException("The transaction of " + job + " has ended, and its connection with it", "25000");
        }
        return branch.begin();
    }

    /** The handler changed the session, so its connection is not for others. */
    public void sessionChanged() {
        branch.changed = true;
    }

    /** The handler failed: whatever the container makes of that, this job's transaction must not commit. */
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** Whether an attempt was made and failed. */
    boolean failed() {
        return failure != null;
    }

    /** Acknowledges in a transaction of its own, for handlers without a container transaction. */
    public void acknowledge() {
        try {
            resource.start(LocalXid.ONE, XAResource.TMNOFLAGS);
            resource.end(LocalXid.ONE, XAResource.TMSUCCESS);
            resource.commit(LocalXid.ONE, true);
        } catch (javax.transaction.xa.XAException e) {
            fail(e);
        }
    }

    /** Gives the job back uncounted: it was not run. */
    public void release() {
        settle(connection -> transitions().release(connection, job));
    }

    /** Puts the job back for a node that has a handler for it. */
    void defer() {
        settle(connection -> transitions().defer(connection, job, UNHANDLED_DELAY));
    }

    /** The handler's transaction has ended, or never began: counts the attempt if it failed. */
    public void settle() {
        // what the container has not ended by now it never will on this connection
        branch.abandon();
        if (outcome == Branch.Outcome.COMMITTED) {
            end(true, true);
        } else if (outcome == Branch.Outcome.UNKNOWN || resource.inDoubt()) {
            LOG.log(Level.WARNING, "The outcome of {0} is not known; it is decided by what its row says", job);
            end(false, false);
        } else {
            fail(new IllegalStateException("the transaction was rolled back"));
            settle(connection -> log(transitions().fail(connection, job, describe(failure))));
        }
    }

    private interface Transition {
        void apply(Connection connection) throws SQLException;
    }

    private void settle(Transition transition) {
        boolean certain = false;
        try {
            // once more on a new connection, since the one that idled may have been broken with the server
            for (int attempt = 0; attempt < 2 && !certain; attempt++) {
                certain = settled(transition);
            }
        } finally {
            end(certain, false);
        }
    }

    private boolean settled(Transition transition) {
        Connection connection = null;
        try {
            connection = workplace.settlements().borrow();
            transition.apply(connection);
            workplace.settlements().giveBack(connection);
            return true;
        } catch (SQLException e) {
            if (connection != null) {
                workplace.settlements().broke(connection);
            }
            LOG.log(Level.WARNING, "What became of {0} could not be noted: {1}", job, Remedy.explain(e));
            return false;
        }
    }

    /** Containers may refuse a job in two ways at once: it ends only once. */
    private void end(boolean certain, boolean acknowledged) {
        if (ended.compareAndSet(false, true)) {
            deliveries.done(this, certain, acknowledged);
        }
    }

    private void log(String next) {
        if (next == null) {
            LOG.log(
                    Level.WARNING,
                    "{0} is not ours any more: its lease was lost, or its failure was noted before",
                    job);
        } else if (next.equals("dead letter")) {
            LOG.log(Level.ERROR, job + " is a dead letter", failure);
        } else {
            LOG.log(Level.WARNING, "{0} failed and will be tried again: {1}", job, text(failure));
        }
    }

    private static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(text(failure));
        Throwable cause = failure.getCause();
        for (int depth = 0; cause != null && depth < LONGEST_CAUSES; depth++) {
            text.append("\ncaused by ").append(text(cause));
            cause = cause.getCause();
        }
        return text.toString();
    }

    /** An exception is the handler's, and may fail itself when it is asked what it says. */
    private static String text(Throwable failure) {
        try {
            return failure.toString();
        } catch (Throwable broken) {
            return failure.getClass().getName();
        }
    }

    private Connections connections() {
        return workplace.connections();
    }

    private Transitions transitions() {
        return workplace.transitions();
    }

    private final class JobBranch implements Branch {

        private Connection connection;
        private boolean changed;

        Connection begin() throws SQLException {
            if (connection == null) {
                connection = connections().borrow();
                connection.setAutoCommit(false);
            }
            return connection;
        }

        @Override
        public Connection open() {
            return connection;
        }

        void abandon() {
            if (connection != null) {
                connections().broke(connection);
                connection = null;
            }
        }

        @Override
        public void beforeCompletion() throws SQLException, RefusedException {
            if (failure != null) {
                throw new RefusedException("the handler failed: " + text(failure));
            }
            if (!transitions().acknowledge(begin(), job)) {
                throw new RefusedException(
                        "the lease of " + job + " was lost: this node had been taken for dead, and another runs it");
            }
        }

        @Override
        public void refused(Exception reason) {
            fail(reason);
        }

        @Override
        public Boolean decide() {
            try {
                Connection fresh = workplace.settlements().borrow();
                try {
                    Boolean committed = transitions().acknowledged(fresh, job);
                    workplace.settlements().giveBack(fresh);
                    return committed;
                } catch (SQLException e) {
                    workplace.settlements().broke(fresh);
                    return null;
                }
            } catch (SQLException e) {
                return null;
            }
        }

        @Override
        public void completed(Outcome how, boolean usable) {
            outcome = how;
            Connection used = connection;
            connection = null;
            if (used == null) {
                return;
            }
            if (!usable) {
                connections().broke(used);
            } else if (changed) {
                connections().discard(used);
            } else {
                connections().giveBack(used);
            }
        }
    }
}
