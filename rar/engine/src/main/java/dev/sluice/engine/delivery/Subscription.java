package dev.sluice.engine.delivery;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A subscriber and when it is to be served next. Its times belong to the dispatcher's thread. */
final class Subscription {

    /** Collects a few jobs for one flush, when the last claim left none behind. */
    private static final long SHORTEST_WAIT = Duration.ofMillis(5).toNanos();

    private final Subscriber subscriber;
    private final AtomicInteger running = new AtomicInteger();
    private final long longestWait;
    private volatile boolean woken;
    private volatile boolean hungry;
    private long wait = SHORTEST_WAIT;
    private long claimAt = System.nanoTime();

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

    /** How many jobs to claim now; 0 if it is not time or there is no room. */
    int demand(long now) {
        int free = subscriber.concurrency() - running.get();
        return free > 0 && (woken || now - claimAt >= 0) ? Math.min(free, subscriber.batch()) : 0;
    }

    /** Whether it has room for one job. */
    boolean hasRoom() {
        return running.get() < subscriber.concurrency();
    }

    /** When to look again, as long as nobody wakes it. */
    long claimAt() {
        return claimAt;
    }

    void beforeClaim() {
        // before the claim reads, so that a wake-up during it counts for the next
        woken = false;
    }

    void claimed(int asked, int got) {
        hungry = got == asked;
        if (hungry) {
            wait = SHORTEST_WAIT;
            claimAt = System.nanoTime();
        } else {
            // twice as long after each claim that found nothing, until only the sweep looks
            wait = got > 0 ? SHORTEST_WAIT : Math.min(2 * wait, longestWait);
            claimAt = wait < longestWait ? System.nanoTime() + wait : Long.MAX_VALUE / 2 + System.nanoTime();
        }
    }

    void wake() {
        woken = true;
    }

    void started() {
        running.incrementAndGet();
    }

    /** Returns whether the dispatcher should know: jobs wait that there was no room for. */
    boolean ended() {
        running.decrementAndGet();
        return hungry || woken;
    }
}
