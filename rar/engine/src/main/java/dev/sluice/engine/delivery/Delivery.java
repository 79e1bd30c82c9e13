package dev.sluice.engine.delivery;

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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.transaction.xa.XAResource;

/**
 * What one call of a handler is for: one job, or several of a kind, in one transaction. In a container transaction its
 * {@linkplain #resource() resource} acknowledges the jobs when that commits; without one {@link #acknowledge()} does.
 * The order is {@link #open}, the handler's call and the end of its transaction, {@link #settle}, {@link #next}.
 */
public final class Delivery {

    private static final Logger LOG = System.getLogger(Delivery.class.getName());

    /** How long a job waits that this node cannot handle; meanwhile other nodes do not see it either. */
    private static final Duration UNHANDLED_DELAY = Duration.ofSeconds(5);

    /** What a handler is given beyond its transaction's time: it can only roll back then, but may still end by itself. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** Who says what becomes of the jobs. */
    private enum Decider {
        /** Its own thread, or whoever could not take it. */
        CALL,
        /** Who could not wait for the end of the handler's call. */
        OVERSEER
    }

    private final Workplace workplace;
    private final Deliveries deliveries;
    /** Null if its jobs were claimed before. */
    private final Opening opening;

    private final DeliveryBranch branch;
    private final BranchXAResource resource;
    private List<Job> jobs;
    private Place place;
    private volatile Thread runner;
    /** Set once, though containers may refuse a job in two ways at once, and a handler may end just when it is moved on. */
    private final AtomicReference<Decider> decider = new AtomicReference<>();
    /** The jobs of a batch that failed, each to be run by itself in the same place. */
    private Deque<Delivery> apart = new ArrayDeque<>();

    private volatile Throwable failure;
    /** The job had been taken over by then, so that its failure here counts for nothing. */
    private volatile boolean takenOver;

    /** Of jobs that are leased. */
    Delivery(List<Job> jobs, Workplace workplace, Deliveries deliveries) {
        this(jobs, null, workplace, deliveries);
    }

    /** Of jobs that are to be claimed in the transaction that handles them. */
    Delivery(Opening opening, Workplace workplace, Deliveries deliveries) {
        this(List.of(), opening, workplace, deliveries);
    }

    private Delivery(List<Job> jobs, Opening opening, Workplace workplace, Deliveries deliveries) {
        this.jobs = jobs;
        this.opening = opening;
        this.workplace = workplace;
        this.deliveries = deliveries;
        this.branch = new DeliveryBranch(this, workplace);
        this.resource = new BranchXAResource(branch, workplace.database());
    }

    Delivery in(Place where) {
        place = where;
        return this;
    }

    /**
     * Sees that there are jobs. In transactional mode this claims them, in a transaction that the handler's goes on with: so
     * it is called when everything else that the handler needs is there.
     *
     * @return false if there is nothing to run
     */
    public boolean open() {
        if (!claimed()) {
            return false;
        }
        runner = Thread.currentThread();
        deliveries.begun(this);
        return true;
    }

    private boolean claimed() {
        if (opening == null) {
            return true;
        }
        try {
            jobs = opening.take(branch.begin());
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "No claim: {0}", Remedy.explain(e));
            place.subscription().refused();
            branch.abandon();
            return false;
        }
        if (jobs.isEmpty()) {
            branch.undo(resource.inDoubt());
            return false;
        }
        if (!opening.handles(job())) {
            branch.undo(resource.inDoubt());
            deliveries.unhandled(job());
            defer();
            return false;
        }
        return true;
    }

    /** The jobs to run, in their order; several only of a kind that is handled in batches. */
    public List<Job> jobs() {
        return jobs;
    }

    /** The first of the jobs. */
    public Job job() {
        return jobs.get(0);
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
            throw new SQLException("The transaction of " + this + " has ended, and its connection with it", "25000");
        }
        return branch.begin();
    }

    /** The handler changed the session, so its connection is not for others. */
    public void sessionChanged() {
        branch.sessionChanged();
    }

    /** The handler failed: whatever the container makes of that, this job's transaction must not commit. */
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** Why the attempt failed; null as long as it has not. */
    Throwable failure() {
        return failure;
    }

    /** Whether an attempt failed that counts: not that of a list, whose jobs run again by themselves. */
    boolean failed() {
        return failure != null && !takenOver && jobs.size() == 1;
    }

    /** Whether its jobs were claimed before, in a transaction of their own. */
    boolean leased() {
        return opening == null;
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

    /** Gives the jobs back uncounted: they were not run. */
    public void release() {
        deliveries.over(this);
        branch.undo(resource.inDoubt());
        if (decides(Decider.CALL)) {
            settle(transitions()::release);
        }
    }

    /** Whether the handler still runs long after its transaction's time. */
    boolean overdue() {
        return resource.overdue(GRACE);
    }

    /**
     * The handler is not waited for any more: its transaction is ended, its jobs and its place are given to others. Its thread
     * may still run; whatever it does, nothing of it is committed.
     *
     * @param why what is counted as the failure of the attempt; null if the handler is not to blame
     */
    void moveOn(Exception why) {
        if (!resource.active() || !decides(Decider.OVERSEER)) {
            return;
        }
        fail(why == null ? new IllegalStateException("its server stops") : why);
        branch.abort();
        if (why == null) {
            settle(transitions()::release);
        } else if (jobs.size() > 1) {
            // together they would only hang again; the one that is to blame is counted when it hangs by itself
            settle(transitions()::isolate);
        } else {
            settle((connection, job) -> noted(transitions().fail(connection, job, Failure.describe(why))));
        }
        releaseApart();
        place.leave();
    }

    private boolean decides(Decider who) {
        return decider.compareAndSet(null, who);
    }

    /** What is to be said of a handler that is overdue, with where it is. */
    Exception overran() {
        Exception where = new TimeoutException(
                "the handler ran for longer than its transaction's time, " + resource.getTransactionTimeout() + " s");
        where.setStackTrace(runner.getStackTrace());
        return where;
    }

    /** It was not taken, and never will be: gives the jobs back uncounted, and its place. */
    public void refuse() {
        place.subscription().refused();
        release();
        releaseApart();
        place.leave();
    }

    private void releaseApart() {
        apart.forEach(Delivery::release);
        apart.clear();
    }

    /** Puts the jobs back for a node that has a handler for them. */
    void defer() {
        settle((connection, job) -> transitions().defer(connection, job, UNHANDLED_DELAY));
    }

    /**
     * The handler's transaction has ended, or never began: counts the attempt if it failed. Of a batch that failed no job is
     * counted, since it is not known which was to blame: each runs again by itself.
     */
    public void settle() {
        deliveries.over(this);
        // what the container has not ended by now it never will on this connection
        branch.undo(resource.inDoubt());
        if (!decides(Decider.CALL)) {
            return;
        }
        if (branch.outcome() == Branch.Outcome.COMMITTED) {
            deliveries.done(this, true, true);
        } else if (branch.outcome() == Branch.Outcome.UNKNOWN || (resource.inDoubt() && !resource.neverVoted())) {
            LOG.log(Level.WARNING, "The outcome of {0} is not known; it is decided by what its rows say", this);
            deliveries.done(this, false, false);
        } else if (jobs.size() > 1) {
            fail(new IllegalStateException("the transaction was rolled back"));
            LOG.log(Level.WARNING, "{0} failed and run again one by one: {1}", this, Failure.summary(failure));
            takeApart();
        } else {
            fail(new IllegalStateException("the transaction was rolled back"));
            settle((connection, job) -> noted(transitions().fail(connection, job, Failure.describe(failure))));
        }
    }

    private void takeApart() {
        for (Job job : jobs) {
            apart.add(
                    opening == null
                            ? new Delivery(List.of(job), workplace, deliveries)
                            : new Delivery(List.of(job), opening.again(job), workplace, deliveries));
        }
    }

    /**
     * What the thread of this delivery is to run next; null if nothing is. To be called once, when all else is done, since
     * it gives the place of this delivery to others.
     */
    public Delivery next() {
        // the place is not this thread's any more, or will not be in a moment
        if (decider.get() == Decider.OVERSEER || place.left()) {
            return null;
        }
        if (place.subscription().closed()) {
            releaseApart();
        }
        Delivery single = apart.poll();
        if (single != null) {
            single.apart = apart;
            return single.in(place);
        }
        if (opening != null && !jobs.isEmpty() && !place.subscription().closed()) {
            return opening.following().in(place);
        }
        Delivery next = place.next();
        return next == null ? null : next.in(place);
    }

    private interface Transition {
        void apply(Connection connection, Job job) throws SQLException;
    }

    private void settle(Transition transition) {
        boolean certain = jobs.isEmpty();
        try {
            // once more on a new connection, since the one that idled may have been broken with the server
            for (int attempt = 0; attempt < 2 && !certain; attempt++) {
                certain = settled(transition);
            }
        } finally {
            deliveries.done(this, certain, false);
        }
    }

    private boolean settled(Transition transition) {
        try {
            return workplace.settlements().with(connection -> {
                for (Job job : jobs) {
                    transition.apply(connection, job);
                }
                return true;
            });
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "What became of {0} could not be noted: {1}", this, Remedy.explain(e));
            return false;
        }
    }

    private void noted(String next) {
        if (next == null) {
            takenOver = true;
            LOG.log(
                    Level.WARNING,
                    "{0} is not ours any more: its lease was lost, or its failure was noted before",
                    this);
        } else if (next.equals("dead letter")) {
            LOG.log(Level.ERROR, this + " is a dead letter", failure);
        } else {
            LOG.log(Level.WARNING, "{0} failed and will be tried again: {1}", this, Failure.summary(failure));
        }
    }

    @Override
    public String toString() {
        return jobs.isEmpty()
                ? "a delivery without a job"
                : jobs.size() == 1
                        ? job().toString()
                        : jobs.size() + " jobs of kind " + job().kind() + " in queue " + job().queue();
    }

    private Transitions transitions() {
        return workplace.transitions();
    }
}
