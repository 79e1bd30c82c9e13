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
 * Decides when to claim and for whom. A batch is never larger than the free threads of its subscriber, so no claimed job
 * waits behind another. All but {@link #serve} may be called from any thread.
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
    private final Set<String> loners = new HashSet<>();

    private volatile boolean lonerRunning;
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
     * @return false if something still runs after this time
     */
    public boolean unsubscribe(Subscriber subscriber, Duration longest) throws InterruptedException {
        long until = System.nanoTime() + longest.toNanos();
        for (Subscription subscription : subscriptions) {
            if (subscription.subscriber() == subscriber) {
                subscriptions.remove(subscription);
                synchronized (subscription) {
                    while (subscription.running() > 0) {
                        long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                        if (left <= 0) {
                            return false;
                        }
                        subscription.wait(left);
                    }
                }
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
        leave = false;
        while (!leave && System.nanoTime() - until < 0) {
            if (System.nanoTime() - sweepAt >= 0) {
                sweep(claim, sweep);
                sweepAt = System.nanoTime() + pollInterval.toNanos();
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
    }

    private void sweep(Claim claim, Sweep sweep) throws SQLException {
        Long[] finished = leases.takeFinished();
        if (finished.length > 0) {
            forget(claim, finished);
        }
        loners.clear();
        if (subscriptions.isEmpty()) {
            return;
        }
        Set<String> queues = new HashSet<>();
        subscribers().forEach(subscriber -> queues.add(subscriber.queue()));
        for (Sweep.Waiting waiting : sweep.sweep(queues)) {
            if (waiting.alone()) {
                loners.add(waiting.queue());
            } else {
                claim.waiting(waiting.queue(), waiting.priority(), waiting.pos());
                wake(waiting.queue());
            }
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
        String queue = subscription.subscriber().queue();
        if (!lonerRunning && subscription.hasRoom() && loners.contains(queue)) {
            List<Job> loner = claim.claimAlone(queue);
            if (loner.isEmpty()) {
                loners.remove(queue);
            } else {
                lonerRunning = true;
                hand(loner, subscription, workplace);
            }
        }
        int demand = subscription.demand(System.nanoTime());
        if (demand == 0) {
            return;
        }
        subscription.beforeClaim();
        Long[] finished = leases.takeFinished();
        List<Job> jobs;
        long begun = System.nanoTime();
        try {
            jobs = claim.claim(queue, demand, finished);
        } catch (SQLException e) {
            leases.giveBackFinished(finished);
            throw e;
        }
        if (!jobs.isEmpty()) {
            claimTimes.record(System.nanoTime() - begun);
        }
        hand(jobs, subscription, workplace);
        subscription.claimed(demand, jobs.size());
    }

    private void hand(List<Job> jobs, Subscription subscription, Workplace workplace) {
        if (!jobs.isEmpty()) {
            leases.opened(jobs.get(0).lease(), jobs.size());
        }
        for (Job job : jobs) {
            subscription.started();
            Delivery delivery = new Delivery(
                    job, workplace, (ended, certain, acknowledged) -> done(subscription, ended, certain, acknowledged));
            if (!subscription.subscriber().handles(job)) {
                unhandledKinds.saw(job);
                delivery.defer();
                continue;
            }
            try {
                subscription.subscriber().accept(delivery);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "{0} is given back, since its endpoint does not take it: {1}", job, e);
                delivery.release();
            }
        }
    }

    private void done(Subscription subscription, Delivery delivery, boolean certain, boolean acknowledged) {
        Job job = delivery.job();
        leases.done(job.lease(), certain);
        if (acknowledged) {
            delivered.incrementAndGet();
        } else if (delivery.failed()) {
            failed.incrementAndGet();
        }
        boolean wanted = subscription.ended();
        if (job.alone()) {
            lonerRunning = false;
            wanted = true;
        }
        if (wanted) {
            signal.release();
        }
        synchronized (subscription) {
            subscription.notifyAll();
        }
    }
}
