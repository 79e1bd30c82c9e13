package dev.sluice.bench.grow;

import dev.sluice.bench.engine.Work;
import dev.sluice.engine.delivery.Delivery;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A handler that does nothing, and ends at a steady rate, so that claims come at one. Of one thread. */
final class Pace implements Work {

    private final Duration period;
    private long due = System.nanoTime();
    private volatile long handled;

    /** @param period between the ends of two calls */
    Pace(Duration period) {
        this.period = period;
    }

    @Override
    public void handle(Delivery delivery) throws InterruptedException {
        // what was missed is not caught up with: claims would come at once
        due = Math.max(due + period.toNanos(), System.nanoTime());
        TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
        handled = handled + delivery.jobs().size();
    }

    /** Jobs that it was given. */
    long handled() {
        return handled;
    }
}
