package dev.sluice.rar;

import dev.sluice.engine.delivery.Delivery;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.RetryableUnavailableException;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkAdapter;
import jakarta.resource.spi.work.WorkEvent;
import java.time.Duration;

/**
 * Calls handlers, one after another, as long as there is something to run in its place (Jakarta Connectors 2.1, section
 * 13.5.9, option B).
 */
final class DeliveryWork extends WorkAdapter implements Work {

    /** How long to wait for an endpoint of the container's pool; its limit should not be below our concurrency. */
    private static final long ENDPOINT_TIMEOUT_MILLIS = 10_000;

    /**
     * How long it keeps its thread, which is the server's, for one delivery after another. As long as there are jobs it would
     * keep it for ever, and requests would find none.
     */
    private static final long LONGEST_TURN = Duration.ofMillis(20).toNanos();

    private final Endpoint endpoint;
    private final Delivery first;

    DeliveryWork(Endpoint endpoint, Delivery first) {
        this.endpoint = endpoint;
        this.first = first;
    }

    @Override
    public void run() {
        long begun = System.nanoTime();
        Delivery delivery = first;
        while (delivery != null) {
            run(delivery);
            delivery = delivery.next();
            if (delivery != null && System.nanoTime() - begun > LONGEST_TURN) {
                standInLine(delivery);
                return;
            }
        }
    }

    private void standInLine(Delivery delivery) {
        try {
            endpoint.accept(delivery);
        } catch (RuntimeException e) {
            delivery.refuse();
        }
    }

    private void run(Delivery delivery) {
        boolean opened = false;
        boolean begun = false;
        try {
            HandlerTransaction transaction = endpoint.transacted(delivery) ? new HandlerTransaction(delivery) : null;
            MessageEndpoint bean = endpoint.factory().createEndpoint(transaction, ENDPOINT_TIMEOUT_MILLIS);
            try {
                // only now, so that no job is held while a bean is waited for
                opened = delivery.open();
                if (!opened) {
                    return;
                }
                bean.beforeDelivery(endpoint.handler(delivery).method());
                begun = true;
                deliver(bean, delivery, transaction);
            } finally {
                // on this thread: it also ends a transaction that beforeDelivery left behind
                bean.release();
            }
        } catch (UnavailableException e) {
            if (e instanceof RetryableUnavailableException || endpoint.deactivates(e)) {
                // all beans are in use, or the application stops: the job was not run
                delivery.release();
                return;
            }
            delivery.fail(e.getCause() == null ? e : e.getCause());
        } catch (Throwable failure) {
            if (!begun && endpoint.closed()) {
                // a container that stops may fail in many ways to begin a delivery: the job was not run
                delivery.release();
                return;
            }
            delivery.fail(failure);
        }
        // where no bean can be made, it is what a job would have failed for
        if (opened || delivery.open()) {
            delivery.settle();
        }
    }

    /** @param transaction null for a handler without a container transaction */
    private void deliver(MessageEndpoint bean, Delivery delivery, HandlerTransaction transaction) {
        try {
            if (transaction != null) {
                endpoint.context().put(transaction);
            }
            endpoint.handler(delivery).invoke(bean, delivery.jobs());
            if (transaction == null) {
                requireNoTransaction();
                delivery.acknowledge();
            }
        } catch (Throwable failure) {
            // Error too, and before the container ends the transaction: one that it would commit must not acknowledge
            delivery.fail(failure);
        } finally {
            afterDelivery(bean, delivery);
        }
    }

    /** The container rolls back what a handler with transactions of its own leaves open: its work is not done. */
    private void requireNoTransaction() {
        if (endpoint.context().transaction() != null) {
            throw new IllegalStateException(
                    "The handler left its transaction open: commit it or roll it back before the method returns");
        }
    }

    private static void afterDelivery(MessageEndpoint bean, Delivery delivery) {
        try {
            bean.afterDelivery();
        } catch (ResourceException e) {
            // what it did to the transaction is known from our resource; this says why
            delivery.fail(e);
        }
    }

    /** The server stops: what runs is waited for where the endpoint is closed. */
    @Override
    public void release() {}

    /** The job was not run and never will be by this work. */
    @Override
    public void workRejected(WorkEvent event) {
        first.refuse();
    }
}
