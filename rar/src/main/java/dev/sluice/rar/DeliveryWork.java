package dev.sluice.rar;

import dev.sluice.engine.delivery.Delivery;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpoint;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.Work;
import jakarta.resource.spi.work.WorkAdapter;
import jakarta.resource.spi.work.WorkEvent;

/** Delivers one job to its handler (Jakarta Connectors 2.1, section 13.5.9, option B). */
final class DeliveryWork extends WorkAdapter implements Work {

    /** How long to wait for an endpoint of the container's pool; its limit should not be below our concurrency. */
    private static final long ENDPOINT_TIMEOUT_MILLIS = 10_000;

    private final Endpoint endpoint;
    private final Delivery delivery;

    DeliveryWork(Endpoint endpoint, Delivery delivery) {
        this.endpoint = endpoint;
        this.delivery = delivery;
    }

    @Override
    public void run() {
        try {
            HandlerMethod handler = endpoint.handler(delivery.job().kind());
            // before the transaction: what cannot be read needs none
            Object payload = Payloads.read(delivery.job().payload(), handler.payloadType(), endpoint.application());
            if (endpoint.factory().isDeliveryTransacted(handler.method())) {
                deliverInTransaction(handler, payload);
            } else {
                deliverWithout(handler, payload);
            }
        } catch (Throwable failure) {
            // Error too: whatever a handler throws counts as a failed attempt
            delivery.fail(failure);
        } finally {
            delivery.settle();
        }
    }

    private void deliverInTransaction(HandlerMethod handler, Object payload) throws Throwable {
        MessageEndpointFactory factory = endpoint.factory();
        MessageEndpoint bean = factory.createEndpoint(delivery.resource(), ENDPOINT_TIMEOUT_MILLIS);
        try {
            bean.beforeDelivery(handler.method());
            try {
                endpoint.context().put(delivery);
                handler.invoke(bean, payload, new ClaimedJobContext(delivery.job()));
            } catch (Throwable failure) {
                // before the container ends the transaction: one that it would commit must not acknowledge
                delivery.fail(failure);
            } finally {
                afterDelivery(bean);
            }
        } finally {
            // on this thread: it also ends a transaction that beforeDelivery left behind
            bean.release();
        }
    }

    private void afterDelivery(MessageEndpoint bean) {
        try {
            bean.afterDelivery();
        } catch (ResourceException e) {
            // what it did to the transaction is known from our resource; this says why
            delivery.fail(e);
        }
    }

    private void deliverWithout(HandlerMethod handler, Object payload) throws Throwable {
        MessageEndpoint bean = endpoint.factory().createEndpoint(null, ENDPOINT_TIMEOUT_MILLIS);
        try {
            handler.invoke(bean, payload, new ClaimedJobContext(delivery.job()));
            delivery.acknowledge();
        } finally {
            bean.release();
        }
    }

    /** The server stops: what runs is waited for where the endpoint is closed. */
    @Override
    public void release() {}

    /** The job was not run and never will be by this work. */
    @Override
    public void workRejected(WorkEvent event) {
        delivery.release();
    }
}
