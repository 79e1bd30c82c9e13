package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Sweep;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides when to claim and for whom. A batch is never larger than what its subscriber may still run at once, so no
 * claimed job waits behind another. All but {@link #serve} may be called from any thread.
 */
public final class Dispatcher {

    private static final Logger LOG = System.getLogger(Dispatcher.class.getName());

    private final Duration pollInterval;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Leases leases = new Leases();
    private final Semaphore signal = new Semaphore(0);
    private final ClaimTimes claimTimes = new ClaimTimes();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final UnhandledKinds unhandledKinds = new UnhandledKinds();
    /** Queues in which a job waits that has to run by itself. Of the serving thread. */
    private final Set<String> withAlone = new HashSet<>();

    private volatile boolean aloneRuns;
    private volatile boolean leave;
    private long sweepAt = System.nanoTime();

    public Dispatcher(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    /** Begins to deliver to this subscriber, whose queue exists. */
    public void subscribe(Subscriber subscriber) {
        subscriptions.add(new Subscription(subscriber, pollInterval));
        sweepSoon();
    }

    /**
     * Ends delivery to this subscriber: claims nothing more for it, and waits until what it runs has ended.
     *
     * @param until when to stop waiting, in {@link System#nanoTime}
     * @return false if something still runs then
     */
    public boolean unsubscribe(Subscriber subscriber, long until) throws InterruptedException {
        for (Subscription subscription : subscriptions) {
            if (subscription.subscriber() == subscriber) {
                subscriptions.remove(subscription);
                return subscription.awaitIdle(until);
            }
        }
        return true;
    }

    public List<Subscriber> subscribers() {
        return subscriptions.stream().map(Subscription::subscriber).toList();
    }

    /** There are new jobs in this queue. */
    public void wake(String queue) {
        for (Subscription subscription : subscriptions) {
            if (subscription.subscriber().queue().equals(queue)) {
                subscription.wake();
                signal.release();
            }
        }
    }

    /** Makes {@link #serve} return before its time. */
    public void leaveServing() {
        leave = true;
        signal.release();
    }

    public int running() {
        return subscriptions.stream().mapToInt(Subscription::running).sum();
    }

    public long delivered() {
        return delivered.get();
    }

    public long failed() {
        return failed.get();
    }

    public ClaimTimes claimTimes() {
        return claimTimes;
    }

    /** The leases that this node works on. */
    public Long[] knownLeases() {
        return leases.known();
    }

    private void sweepSoon() {
        sweepAt = System.nanoTime();
        signal.release();
    }

    /**
     * Serves all subscribers for a while: claims and hands out what there is.
     *
     * @param until when to return at the latest, in {@link System#nanoTime}
     */
    public void serve(Claim claim, Sweep sweep, Workplace workplace, long until)
            throws SQLException, InterruptedException {
        while (!leave && System.nanoTime() - until < 0) {
            if (System.nanoTime() - sweepAt >= 0) {
                sweep(claim, sweep);
            }
            long next = Math.min(until - System.nanoTime(), sweepAt - System.nanoTime());
            for (Subscription subscription : subscriptions) {
                serve(subscription, claim, workplace);
                if (subscription.hasRoom()) {
                    next = Math.min(next, subscription.claimAt() - System.nanoTime());
                }
            }
            if (signal.tryAcquire(Math.max(0, next), TimeUnit.NANOSECONDS)) {
                signal.drainPermits();
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        // not at the beginning: a call before this one is not to be missed
        leave = false;
    }

    private void sweep(Claim claim, Sweep sweep) throws SQLException {
        Long[] finished = leases.takeFinished();
        if (finished.length > 0) {
            forget(claim, finished);
        }
        sweepAt = System.nanoTime() + pollInterval.toNanos();
        withAlone.clear();
        if (subscriptions.isEmpty()) {
            return;
        }
        Set<String> queues = new HashSet<>();
        subscribers().forEach(subscriber -> queues.add(subscriber.queue()));
        Sweep.Findings findings = sweep.sweep(queues);
        for (Sweep.Waiting waiting : findings.waiting()) {
            if (waiting.alone()) {
                withAlone.add(waiting.queue());
            } else {
                claim.waiting(waiting.queue(), waiting.priority(), waiting.pos());
                wake(waiting.queue());
            }
        }
        if (findings.moreAreDue()) {
            sweepAt = System.nanoTime();
        }
    }

    private void forget(Claim claim, Long[] finished) throws SQLException {
        try {
            claim.forget(finished);
        } catch (SQLException e) {
            leases.giveBackFinished(finished);
            throw e;
        }
    }

    private void serve(Subscription subscription, Claim claim, Workplace workplace) throws SQLException {
        serveAlone(subscription, claim, workplace);
        int demand = subscription.reserve(System.nanoTime());
        if (demand == 0) {
            return;
        }
        List<Job> jobs = List.of();
        try {
            jobs = claim(subscription.subscriber(), demand, claim);
        } finally {
            subscription.leave(demand - jobs.size());
        }
        subscription.claimed(demand, jobs.size());
        hand(jobs, subscription, workplace);
    }

    private List<Job> claim(Subscriber subscriber, int demand, Claim claim) throws SQLException {
        Long[] finished = leases.takeFinished();
        long begun = System.nanoTime();
        try {
            List<Job> jobs = claim.claim(subscriber.queue(), demand, othersOf(subscriber), finished);
            if (!jobs.isEmpty()) {
                claimTimes.record(System.nanoTime() - begun);
            }
            return jobs;
        } catch (SQLException e) {
            leases.giveBackFinished(finished);
            throw e;
        }
    }

    private void serveAlone(Subscription subscription, Claim claim, Workplace workplace) throws SQLException {
        String queue = subscription.subscriber().queue();
        if (aloneRuns || !subscription.hasRoom() || !withAlone.contains(queue)) {
            return;
        }
        List<Job> jobs = List.of();
        subscription.reserveOne();
        try {
            jobs = claim.claimAlone(queue, othersOf(subscription.subscriber()));
        } finally {
            subscription.leave(1 - jobs.size());
        }
        if (jobs.isEmpty()) {
            withAlone.remove(queue);
        } else {
            aloneRuns = true;
            hand(jobs, subscription, workplace);
        }
    }

    /** Hands out jobs that the subscription has room reserved for. */
    private void hand(List<Job> jobs, Subscription subscription, Workplace workplace) {
        if (!jobs.isEmpty()) {
            leases.opened(jobs.get(0).lease(), jobs.size());
        }
        for (Job job : jobs) {
            hand(job, subscription, workplace);
        }
    }

    private void hand(Job job, Subscription subscription, Workplace workplace) {
        Delivery delivery = new Delivery(
                job, workplace, (ended, certain, acknowledged) -> done(subscription, ended, certain, acknowledged));
        try {
            if (subscription.subscriber().handles(job)) {
                subscription.subscriber().accept(delivery);
            } else {
                unhandledKinds.saw(job);
                delivery.defer();
            }
        } catch (Throwable refusal) {
            // Error too: what happens to one job must not strand the others of its lease
            LOG.log(Level.WARNING, "{0} is given back, since it was not taken: {1}", job, refusal.toString());
            subscription.refused();
            delivery.release();
        }
    }

    /** The kinds that other beans of this node handle in the same queue: each claims its own, when it has room. */
    private String[] othersOf(Subscriber subscriber) {
        Set<String> others = new HashSet<>();
        for (Subscription subscription : subscriptions) {
            Subscriber other = subscription.subscriber();
            if (other != subscriber && other.queue().equals(subscriber.queue())) {
                others.addAll(other.kinds());
            }
        }
        others.removeAll(subscriber.kinds());
        return others.toArray(String[]::new);
    }

    private void done(Subscription subscription, Delivery delivery, boolean certain, boolean acknowledged) {
        Job job = delivery.job();
        leases.done(job.lease(), certain);
        if (acknowledged) {
            delivered.incrementAndGet();
        } else if (delivery.failed()) {
            failed.incrementAndGet();
        }
        if (job.alone()) {
            aloneRuns = false;
        }
        subscription.leave(1);
        if (job.alone() || subscription.wantsMore()) {
            signal.release();
        }
    }
}
