package dev.sluice.engine.delivery;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A subscriber and when it is to be served next. Its times belong to the dispatcher's thread. */
final class Subscription {

    /** Collects a few jobs for one flush, when the last claim left none behind. */
    private static final long SHORTEST_WAIT = Duration.ofMillis(5).toNanos();

    /** How long nothing is claimed for a subscriber that did not take what it was given. */
    private static final long REFUSED_WAIT = Duration.ofSeconds(1).toNanos();

    /** Until it is woken. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private final Subscriber subscriber;
    private final AtomicInteger running = new AtomicInteger();
    private final long longestWait;
    private volatile boolean woken;
    private volatile boolean hungry;
    private long wait = SHORTEST_WAIT;
    private long claimAt = System.nanoTime();
    private long refusedUntil = claimAt;

    Subscription(Subscriber subscriber, Duration pollInterval) {
        this.subscriber = subscriber;
        this.longestWait = pollInterval.toNanos();
    }

    Subscriber subscriber() {
        return subscriber;
    }

    int running() {
        return running.get();
    }

    /** Whether it has room for one job. */
    boolean hasRoom() {
        return running.get() < subscriber.concurrency();
    }

    /** When to look again, as long as nobody wakes it. */
    long claimAt() {
        return claimAt;
    }

    /**
     * Takes room for as many jobs as are to be claimed now; before the claim, so that whoever unsubscribes meanwhile waits
     * for what it brings.
     *
     * @return how many; 0 if it is not time or there is no room
     */
    int reserve(long now) {
        int free = subscriber.concurrency() - running.get();
        if (free <= 0 || now - refusedUntil < 0 || !(woken || now - claimAt >= 0)) {
            return 0;
        }
        // before the claim reads, so that a wake-up during it counts for the next
        woken = false;
        int demand = Math.min(free, subscriber.batch());
        running.addAndGet(demand);
        return demand;
    }

    /** Takes room for one job. */
    void reserveOne() {
        running.incrementAndGet();
    }

    /** Gives back room that was not needed, or that a job has left; those who wait for the end of all are told. */
    void leave(int jobs) {
        synchronized (this) {
            running.addAndGet(-jobs);
            notifyAll();
        }
    }

    /** Waits until nothing runs; false if something still does at that time, in {@link System#nanoTime}. */
    boolean awaitIdle(long until) throws InterruptedException {
        synchronized (this) {
            while (running.get() > 0) {
                long millis = Duration.ofNanos(until - System.nanoTime()).toMillis();
                if (millis <= 0) {
                    return false;
                }
                wait(millis);
            }
            return true;
        }
    }

    void claimed(int asked, int got) {
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

    /** It did not take a job: nothing is claimed for it for a while, whoever wakes it. */
    void refused() {
        hungry = false;
        refusedUntil = System.nanoTime() + REFUSED_WAIT;
        claimAt = refusedUntil;
    }

    void wake() {
        woken = true;
    }

    /** Whether jobs wait that there was no room for. */
    boolean wantsMore() {
        return hungry || woken;
    }
}
