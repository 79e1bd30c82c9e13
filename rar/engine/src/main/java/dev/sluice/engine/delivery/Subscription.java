package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** A subscriber: the places that it has for deliveries, what waits for one, and when it is to be served next. */
final class Subscription {

    /** Collects a few jobs for one flush, when the last claim left none behind. */
    private static final long SHORTEST_WAIT = Duration.ofMillis(5).toNanos();

    /** How long nothing is claimed for a subscriber that did not take what it was given. */
    private static final long REFUSED_WAIT = Duration.ofSeconds(1).toNanos();

    /**
     * What is claimed ahead of a free place is to begin within this time, or another node would have been quicker. It lets
     * one flush claim a batch although places come free one by one.
     */
    private static final long LONGEST_AHEAD = Duration.ofMillis(10).toNanos();

    /** Until it is woken. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private final Subscriber subscriber;
    private final int concurrency;
    private final int batch;
    private final Set<String> own;
    private final Set<String> batchKinds;
    private final long longestWait;
    private final Deque<Delivery> ahead = new ArrayDeque<>();
    /** What other subscribers of this queue leave to it. */
    private volatile Kinds kinds;

    private int places;
    /** Claims under way; what they bring is waited for by whoever unsubscribes. */
    private int claiming;

    private boolean closed;
    private boolean woken;
    private boolean hungry;
    private long wait = SHORTEST_WAIT;
    private long claimAt = System.nanoTime();
    private long refusedUntil = claimAt;
    /** How long a delivery keeps its place, as a running mean in nanoseconds; 0 as long as none has ended. */
    private long meanStay;

    Subscription(Subscriber subscriber, Duration pollInterval) {
        this.subscriber = subscriber;
        this.concurrency = subscriber.concurrency();
        this.batch = subscriber.batch();
        this.own = Set.copyOf(subscriber.kinds());
        this.batchKinds = Set.copyOf(subscriber.batchKinds());
        this.longestWait = pollInterval.toNanos();
    }

    Subscriber subscriber() {
        return subscriber;
    }

    Kinds kinds() {
        return kinds;
    }

    void kinds(Kinds left) {
        kinds = left;
    }

    /** Calls that are under way. */
    synchronized int running() {
        return places;
    }

    /** When to look again, as long as nobody wakes it; never while it has no room. */
    synchronized long claimAt() {
        return room() > 0 ? claimAt : System.nanoTime() + FOR_EVER;
    }

    /** How many jobs there is room for, if they are single ones. */
    private int room() {
        int free = Math.max(0, concurrency - places);
        if (!own.isEmpty() && batchKinds.containsAll(own)) {
            // each call takes several
            return free > 0 ? batch : 0;
        }
        int room = free + mostAhead() - ahead.size();
        // for what fits behind those that run, one flush has to be worth it
        return free > 0 || room >= batch ? Math.min(room, batch) : 0;
    }

    private int mostAhead() {
        return meanStay == 0 || subscriber.mode() == ClaimMode.TRANSACTIONAL
                ? 0
                : (int) Math.min(batch, concurrency * LONGEST_AHEAD / meanStay);
    }

    private boolean due(long now) {
        return !closed && now - refusedUntil >= 0 && (woken || now - claimAt >= 0);
    }

    /**
     * Begins a claim, if it is time and there is room.
     *
     * @return how many jobs to claim; 0 for none
     */
    synchronized int beginClaim(long now) {
        int room = due(now) ? room() : 0;
        if (room > 0) {
            // before the claim reads, so that a wake-up during it counts for the next
            woken = false;
            claiming++;
        }
        return room;
    }

    /**
     * Ends it: takes places for what it brought, as far as there are any; the rest waits for one.
     *
     * @return what has a place now
     */
    synchronized List<Delivery> endClaim(List<Delivery> brought) {
        claiming--;
        List<Delivery> placed = new ArrayList<>();
        for (Delivery delivery : brought) {
            if (places < concurrency && ahead.isEmpty()) {
                places++;
                placed.add(delivery);
            } else {
                ahead.add(delivery);
            }
        }
        notifyAll();
        return placed;
    }

    /** Takes a place whose worker claims by itself, if it is time and one is free. */
    synchronized boolean takePlaceToClaim(long now) {
        if (!due(now) || places >= concurrency) {
            return false;
        }
        woken = false;
        // its claim says when to look again
        claimAt = now + FOR_EVER;
        places++;
        return true;
    }

    /** Takes a place, if one is free and what it was given last was not refused just now. */
    synchronized boolean takePlace() {
        if (closed || System.nanoTime() - refusedUntil < 0 || places >= concurrency) {
            return false;
        }
        places++;
        return true;
    }

    /** A delivery has left its place after this time: the place is for what waits, or is free. */
    synchronized Delivery leave(long stay) {
        meanStay = meanStay == 0 ? stay : meanStay + (stay - meanStay) / 8;
        Delivery next = closed ? null : ahead.poll();
        if (next == null) {
            places--;
            notifyAll();
        }
        return next;
    }

    /**
     * A place is free again.
     *
     * @return what waited for one, if none is left that could run it: it has to be put back
     */
    synchronized List<Delivery> free() {
        places--;
        notifyAll();
        return places == 0 ? drainAhead() : List.of();
    }

    /** Nothing is claimed for it any more. Returns what waited for a place: it has to be put back. */
    synchronized List<Delivery> close() {
        closed = true;
        return drainAhead();
    }

    synchronized boolean closed() {
        return closed;
    }

    synchronized List<Delivery> drainAhead() {
        List<Delivery> waiting = new ArrayList<>(ahead);
        ahead.clear();
        return waiting;
    }

    /** Waits until nothing runs; false if something still does at that time, in {@link System#nanoTime}. */
    synchronized boolean awaitIdle(long until) throws InterruptedException {
        while (places > 0 || claiming > 0) {
            long millis = Duration.ofNanos(until - System.nanoTime()).toMillis();
            if (millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return true;
    }

    /** A claim for so many jobs brought so many. */
    synchronized void claimed(int asked, int got) {
        hungry = got == asked;
        if (hungry) {
            wait = SHORTEST_WAIT;
            claimAt = System.nanoTime();
        } else {
            // twice as long after each claim that found nothing, until only the sweep looks
            wait = got > 0 ? SHORTEST_WAIT : Math.min(2 * wait, longestWait);
            claimAt = System.nanoTime() + (wait < longestWait ? wait : FOR_EVER);
        }
    }

    /** It did not take a delivery, or could not claim: nothing is claimed for it for a while, whoever wakes it. */
    synchronized void refused() {
        hungry = false;
        refusedUntil = System.nanoTime() + REFUSED_WAIT;
        claimAt = refusedUntil;
    }

    synchronized void wake() {
        woken = true;
    }

    /** Whether jobs wait that there was no room for, and there is now. */
    synchronized boolean wantsMore() {
        return (hungry || woken) && room() > 0;
    }

    /** Whether the subscriber has a handler for this job. */
    boolean handles(Job job) {
        return own.isEmpty() || own.contains(job.kind());
    }

    /** Whether this job is one of those that run together with others of their kind. */
    boolean batched(Job job) {
        return batchKinds.contains(job.kind());
    }
}
