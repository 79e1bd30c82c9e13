package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** Hands deliveries to subscribers, and hears what becomes of them. */
final class Handing {

    private static final Logger LOG = System.getLogger(Handing.class.getName());

    private final Deliveries deliveries;
    private final Runnable signal;

    /**
     * @param deliveries hears of each delivery
     * @param signal     called when a subscription is to be served again
     */
    Handing(Deliveries deliveries, Runnable signal) {
        this.deliveries = deliveries;
        this.signal = signal;
    }

    Delivery delivery(List<Job> jobs, Workplace workplace) {
        return new Delivery(jobs, workplace, deliveries);
    }

    Delivery delivery(Opening opening, Workplace workplace) {
        return new Delivery(opening, workplace, deliveries);
    }

    /** A place that the subscription has taken. */
    Place place(Subscription subscription) {
        return new Place(subscription, signal);
    }

    /** Puts a job back that there is no handler for. */
    void defer(Job job, Workplace workplace) {
        deliveries.unhandled(job);
        delivery(List.of(job), workplace).defer();
    }

    /** Hands out deliveries that have a place each. */
    void hand(List<Delivery> placed, Subscription subscription) {
        for (Delivery delivery : placed) {
            Place place = place(subscription);
            try {
                subscription.subscriber().accept(delivery.in(place));
            } catch (Throwable refusal) {
                // Error too: what happens to one job must not strand the others of its lease
                LOG.log(Level.WARNING, "{0} is given back, since it was not taken: {1}", delivery, refusal.toString());
                delivery.refuse();
            }
        }
    }

    /** There may be room, and jobs that wait for it. */
    void changed(Subscription subscription) {
        if (subscription.wantsMore()) {
            signal.run();
        }
    }
}
