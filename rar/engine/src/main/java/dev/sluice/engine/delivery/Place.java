package dev.sluice.engine.delivery;

import java.util.concurrent.atomic.AtomicBoolean;

/** Room for one call of a subscriber at a time. Whoever was given it gives it back, or runs what comes next in it. */
final class Place {

    private final Subscription subscription;
    private final Runnable changed;
    private final AtomicBoolean free = new AtomicBoolean();
    private long since = System.nanoTime();

    /** @param changed called when there is room that there was not, and jobs that wait for it */
    Place(Subscription subscription, Runnable changed) {
        this.subscription = subscription;
        this.changed = changed;
    }

    Subscription subscription() {
        return subscription;
    }

    /** Whether it is free, for others. */
    boolean left() {
        return free.get();
    }

    /** What is to run here next; null if nothing is, and the place is free. */
    Delivery next() {
        if (free.get()) {
            return null;
        }
        long now = System.nanoTime();
        Delivery next = subscription.leave(now - since);
        since = now;
        if (next == null) {
            free.set(true);
        }
        tellChange();
        return next;
    }

    /** Frees it. Containers may refuse a delivery in two ways at once: it is freed only once. */
    void leave() {
        if (free.compareAndSet(false, true)) {
            subscription.free().forEach(Delivery::release);
            tellChange();
        }
    }

    private void tellChange() {
        if (subscription.wantsMore()) {
            changed.run();
        }
    }
}
