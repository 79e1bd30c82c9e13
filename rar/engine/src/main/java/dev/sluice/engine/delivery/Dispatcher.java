package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.Isolation;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Lane;
import dev.sluice.engine.queue.Sweep;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Decides when to claim and for whom. All but {@link #serve} may be called from any thread. */
public final class Dispatcher {

    /**
     * What a node does on its own connection.
     *
     * @param watch told of the tables that are used in turn, as each sweep sees them
     */
    public record Control(Claim claim, Sweep sweep, Isolation isolation, Consumer<List<EpochState>> watch) {}

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
    /** Where a job waits that has to run by itself. Of the serving thread. */
    private final Set<Lane> withAlone = new HashSet<>();

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
     * @param control what the node does on its own connection
     * @param until when to return at the latest, in {@link System#nanoTime}
     */
    public void serve(Control control, Workplace workplace, long until) throws SQLException, InterruptedException {
        while (!leave && System.nanoTime() - until < 0) {
            if (System.nanoTime() - sweepAt >= 0) {
                sweep(control);
            }
            long next = Math.min(until - System.nanoTime(), sweepAt - System.nanoTime());
            for (Subscription subscription : subscriptions) {
                serveAlone(subscription, control.claim(), workplace);
                claims.get(subscription.subscriber().mode()).serve(subscription, control.claim(), workplace);
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

    private void sweep(Control control) throws SQLException {
        control.claim().forget(leases);
        sweepAt = System.nanoTime() + pollInterval.toNanos();
        Set<String> queues = new HashSet<>();
        subscribers().forEach(subscriber -> queues.add(subscriber.queue()));
        Sweep.Findings findings = control.sweep().sweep(queues);
        control.watch().accept(findings.epochs());
        if (!findings.taken().isEmpty() && System.nanoTime() - isolateAt >= 0) {
            isolateAt = System.nanoTime() + ISOLATE_EVERY.toNanos();
            isolate(control.isolation(), findings.taken());
        }
        withAlone.clear();
        withAlone.addAll(findings.alone());
        findings.waiting().forEach(this::wake);
        if (findings.moreAreDue()) {
            sweepAt = System.nanoTime();
        }
    }

    private static void isolate(Isolation isolation, Map<Lane, Long> taken) throws SQLException {
        long isolated = isolation.look(taken);
        if (isolated > 0) {
            LOG.log(
                    Level.WARNING,
                    "{0} jobs run again one by one: the transactions that handled them were rolled back by the end of a server"
                            + " or of a connection, or their list failed some time ago",
                    isolated);
        }
    }

    private void serveAlone(Subscription subscription, Claim claim, Workplace workplace) throws SQLException {
        Lane lane = withAlone.stream()
                .filter(candidate ->
                        candidate.queue().equals(subscription.subscriber().queue()))
                .min(Comparator.comparing(Lane::priority))
                .orElse(null);
        if (aloneRuns || lane == null || !subscription.takePlace()) {
            return;
        }
        List<Job> jobs = List.of();
        try {
            jobs = claim.claimAlone(lane.epoch(), lane.queue(), subscription.kinds());
        } finally {
            if (jobs.isEmpty()) {
                subscription.free().forEach(Delivery::release);
            }
        }
        if (jobs.isEmpty()) {
            withAlone.remove(lane);
            return;
        }
        leases.opened(jobs);
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
