package dev.sluice.engine.delivery;

import dev.sluice.engine.Connections;
import dev.sluice.engine.Remedy;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Transitions;
import dev.sluice.engine.xa.Branch;
import dev.sluice.engine.xa.BranchXAResource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.transaction.xa.XAResource;

/**
 * One job on its way through one handler. In a container transaction its {@linkplain #resource() resource} acknowledges
 * the job when that commits; without one {@link #acknowledge()} does. Either way {@link #settle()} comes last.
 */
public final class Delivery {

    private static final Logger LOG = System.getLogger(Delivery.class.getName());

    /** How long a job waits that this node cannot handle; meanwhile other nodes do not see it either. */
    private static final Duration UNHANDLED_DELAY = Duration.ofSeconds(5);

    private final Job job;
    private final Workplace workplace;
    private final Deliveries deliveries;
    private final JobBranch branch = new JobBranch();
    private final BranchXAResource resource;
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

    /** Whether the handler's transaction is under way, so that {@link #connection} belongs to it. */
    public boolean active() {
        return resource.active();
    }

    /** The connection of the handler's transaction, the same at each call; the transaction begins with the first. */
    public Connection connection() throws SQLException {
        if (branch.connection == null) {
            branch.connection = connections().borrow();
            branch.connection.setAutoCommit(false);
        }
        return branch.connection;
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
        if (outcome == null) {
            branch.abandon();
        }
        if (outcome == Branch.Outcome.COMMITTED) {
            deliveries.done(this, true, true);
        } else if (outcome == Branch.Outcome.UNKNOWN || resource.inDoubt()) {
            LOG.log(Level.WARNING, "The outcome of {0} is not known; it is decided by what its row says", job);
            deliveries.done(this, false, false);
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
        // once more on a new connection, since the one that idled may have been broken with the server
        for (int attempt = 0; attempt < 2 && !certain; attempt++) {
            Connection connection = null;
            try {
                connection = workplace.settlements().borrow();
                transition.apply(connection);
                workplace.settlements().giveBack(connection);
                certain = true;
            } catch (SQLException e) {
                if (connection != null) {
                    workplace.settlements().discard(connection);
                }
                LOG.log(Level.WARNING, "What became of {0} could not be noted: {1}", job, Remedy.explain(e));
            }
        }
        deliveries.done(this, certain, false);
    }

    private void log(String next) {
        if (next == null) {
            LOG.log(Level.WARNING, "{0}: its lease was lost, so it is with another node now", job);
        } else if (next.equals("dead letter")) {
            LOG.log(Level.ERROR, job + " is a dead letter", failure);
        } else {
            LOG.log(Level.WARNING, "{0} failed and will be tried again: {1}", job, failure.toString());
        }
    }

    private static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(failure.toString());
        for (Throwable cause = failure.getCause();
                cause != null && cause != cause.getCause();
                cause = cause.getCause()) {
            if (text.length() > 8_000) {
                break;
            }
            text.append("\ncaused by ").append(cause);
        }
        return text.toString();
    }

    private Connections connections() {
        return workplace.connections();
    }

    private Transitions transitions() {
        return workplace.transitions();
    }

    private final class JobBranch implements Branch {

        private Connection connection;

        @Override
        public Connection open() {
            return connection;
        }

        /** The container ended the transaction without our hearing of it: the connection cannot be used again. */
        void abandon() {
            if (connection != null) {
                connections().discard(connection);
                connection = null;
            }
        }

        @Override
        public void beforeCompletion() throws SQLException, RefusedException {
            if (failure != null) {
                throw new RefusedException("the handler failed: " + failure);
            }
            if (!transitions().acknowledge(connection(), job)) {
                throw new RefusedException(
                        "the lease of " + job + " was lost: this node had been taken for dead, and another runs it");
            }
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
                    workplace.settlements().discard(fresh);
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
            if (used != null) {
                if (usable) {
                    connections().giveBack(used);
                } else {
                    connections().discard(used);
                }
            }
        }
    }
}
