package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Isolation;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Sweep;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Decides when to claim and for whom. All but {@link #serve} may be called from any thread. */
public final class Dispatcher {

    private static final Logger LOG = System.getLogger(Dispatcher.class.getName());

    /** Whoever rolls back moves its jobs within this time, but for those of a list that wait for their turn to run again. */
    private static final Duration ISOLATE_EVERY = Duration.ofSeconds(1);

    private final Duration pollInterval;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Leases leases = new Leases();
    private final Semaphore signal = new Semaphore(0);
    private final ClaimTimes claimTimes = new ClaimTimes();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Handing handing = new Handing(new Counting(), signal::release);
    private final Map<ClaimMode, Claims> claims = Map.of(
            ClaimMode.LEASED, new LeasedClaims(handing, leases, claimTimes),
            ClaimMode.TRANSACTIONAL, new TransactionalClaims(handing, claimTimes));
    /** Calls of handlers that are under way. */
    private final Set<Delivery> calls = ConcurrentHashMap.newKeySet();
    /** Those of them that are not waited for any more. */
    private final Set<Delivery> stuck = ConcurrentHashMap.newKeySet();
    /** Queues in which a job waits that has to run by itself. Of the serving thread. */
    private final Set<String> withAlone = new HashSet<>();

    private volatile boolean aloneRuns;
    private volatile boolean leave;
    private long sweepAt = System.nanoTime();
    private long isolateAt = sweepAt;

    public Dispatcher(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    /** Begins to deliver to this subscriber, whose queue exists. */
    public void subscribe(Subscriber subscriber) {
        Subscription subscription = new Subscription(subscriber, pollInterval);
        synchronized (subscriptions) {
            subscriptions.add(subscription);
            shareKinds();
        }
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
                synchronized (subscriptions) {
                    subscriptions.remove(subscription);
                    shareKinds();
                }
                subscription.close().forEach(Delivery::release);
                return subscription.awaitIdle(until);
            }
        }
        return true;
    }

    /** Each of several subscribers of a queue claims its own kinds, when it has room; those of nobody are anybody's. */
    private void shareKinds() {
        for (Subscription subscription : subscriptions) {
            Set<String> own = subscription.subscriber().kinds();
            Set<String> others = new HashSet<>();
            boolean another = false;
            for (Subscription other : subscriptions) {
                if (other != subscription
                        && other.subscriber()
                                .queue()
                                .equals(subscription.subscriber().queue())) {
                    others.addAll(other.subscriber().kinds());
                    another |= other.subscriber().kinds().isEmpty();
                }
            }
            others.removeAll(own);
            subscription.kinds(another && !own.isEmpty() ? Kinds.only(own) : Kinds.except(others));
        }
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

    /** Handlers that did not end long after their transaction's time, and have not yet. */
    public int stuck() {
        return stuck.size();
    }

    /** Goes on without the handlers that do not end. */
    public void moveOnOverdue() {
        for (Delivery delivery : calls) {
            if (delivery.overdue() && stuck.add(delivery)) {
                moveOn(delivery);
                if (!calls.contains(delivery)) {
                    // it ended just now
                    stuck.remove(delivery);
                }
            }
        }
    }

    private static void moveOn(Delivery delivery) {
        Exception why = delivery.overran();
        LOG.log(Level.ERROR, delivery + " is not waited for any more; its handler is here", why);
        // not on this thread, which has to be heard of by other nodes
        Thread mover = new Thread(() -> delivery.moveOn(why), "sluice moves on");
        mover.setDaemon(true);
        mover.start();
    }

    /** The node stops: what still runs has its transaction ended, and is for others. */
    public void moveOnAll() {
        calls.forEach(delivery -> delivery.moveOn(null));
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
    public void serve(Claim claim, Sweep sweep, Isolation isolation, Workplace workplace, long until)
            throws SQLException, InterruptedException {
        while (!leave && System.nanoTime() - until < 0) {
            if (System.nanoTime() - sweepAt >= 0) {
                sweep(claim, sweep, isolation);
            }
            long next = Math.min(until - System.nanoTime(), sweepAt - System.nanoTime());
            for (Subscription subscription : subscriptions) {
                serveAlone(subscription, claim, workplace);
                claims.get(subscription.subscriber().mode()).serve(subscription, claim, workplace);
                next = Math.min(next, subscription.claimAt() - System.nanoTime());
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

    private void sweep(Claim claim, Sweep sweep, Isolation isolation) throws SQLException {
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
        if (findings.taken() && System.nanoTime() - isolateAt >= 0) {
            isolateAt = System.nanoTime() + ISOLATE_EVERY.toNanos();
            isolate(isolation, queues);
        }
        for (Sweep.Waiting waiting : findings.waiting()) {
            if (waiting.alone()) {
                withAlone.add(waiting.queue());
            } else {
                claim.positions().waiting(waiting.queue(), waiting.priority(), waiting.pos());
                wake(waiting.queue());
            }
        }
        if (findings.moreAreDue()) {
            sweepAt = System.nanoTime();
        }
    }

    private static void isolate(Isolation isolation, Set<String> queues) throws SQLException {
        int isolated = isolation.look(queues);
        if (isolated > 0) {
            LOG.log(
                    Level.WARNING,
                    "{0} jobs run again one by one: the transactions that handled them were rolled back by the end of a server"
                            + " or of a connection, or their list failed some time ago",
                    isolated);
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

    private void serveAlone(Subscription subscription, Claim claim, Workplace workplace) throws SQLException {
        String queue = subscription.subscriber().queue();
        if (aloneRuns || !withAlone.contains(queue) || !subscription.takePlace()) {
            return;
        }
        List<Job> jobs = List.of();
        try {
            jobs = claim.claimAlone(queue, subscription.kinds());
        } finally {
            if (jobs.isEmpty()) {
                subscription.free().forEach(Delivery::release);
            }
        }
        if (jobs.isEmpty()) {
            withAlone.remove(queue);
            return;
        }
        leases.opened(jobs.get(0).lease(), 1);
        aloneRuns = true;
        if (subscription.handles(jobs.get(0))) {
            handing.hand(List.of(handing.delivery(jobs, workplace)), subscription);
        } else {
            subscription.free().forEach(Delivery::release);
            handing.defer(jobs.get(0), workplace);
        }
    }

    private final class Counting implements Deliveries {

        private final UnhandledKinds unhandledKinds = new UnhandledKinds();

        @Override
        public void unhandled(Job job) {
            unhandledKinds.saw(job);
        }

        @Override
        public void begun(Delivery delivery) {
            calls.add(delivery);
        }

        @Override
        public void over(Delivery delivery) {
            calls.remove(delivery);
            stuck.remove(delivery);
        }

        @Override
        public void done(Delivery delivery, boolean certain, boolean acknowledged) {
            List<Job> jobs = delivery.jobs();
            if (acknowledged) {
                delivered.addAndGet(jobs.size());
            } else if (delivery.failed()) {
                failed.incrementAndGet();
            }
            if (jobs.isEmpty() || jobs.get(0).lease() == null) {
                return;
            }
            leases.done(jobs.get(0).lease(), jobs.size(), certain);
            if (jobs.get(0).alone()) {
                aloneRuns = false;
                signal.release();
            }
        }
    }
}
