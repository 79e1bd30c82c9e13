package dev.sluice.rar;

import dev.sluice.engine.Engine;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.RetryPolicy;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** An activated handler bean. Holds a thread of the server only while there is a job for it. */
final class Endpoint implements Subscriber {

    private final MessageEndpointFactory factory;
    private final JobActivationSpec spec;
    private final Engine engine;
    private final WorkManager workManager;
    private final DeliveryContext context;
    private final Map<String, HandlerMethod> handlers;
    private volatile boolean closed;

    /** @throws ResourceException if the bean's handler methods are wrong */
    Endpoint(
            MessageEndpointFactory factory,
            JobActivationSpec spec,
            Engine engine,
            WorkManager workManager,
            DeliveryContext context)
            throws ResourceException {
        this.factory = factory;
        this.spec = spec;
        this.engine = engine;
        this.workManager = workManager;
        this.context = context;
        this.handlers = HandlerMethod.of(factory.getEndpointClass());
    }

    /** Begins delivery as soon as the application has started; returns at once. */
    void open() throws WorkException {
        workManager.scheduleWork(new OpeningWork(this));
    }

    /**
     * Ends delivery.
     *
     * @return false if something still runs after this time
     */
    boolean close(Duration longest) throws InterruptedException {
        synchronized (this) {
            closed = true;
        }
        return engine.unsubscribe(this, longest);
    }

    boolean closed() {
        return closed;
    }

    synchronized void subscribe() {
        if (!closed) {
            engine.subscribe(this);
        }
    }

    MessageEndpointFactory factory() {
        return factory;
    }

    DeliveryContext context() {
        return context;
    }

    HandlerMethod handler(String kind) {
        return handlers.get(kind);
    }

    @Override
    public String queue() {
        return spec.getQueue();
    }

    @Override
    public RetryPolicy retryPolicy() {
        return spec.retryPolicy();
    }

    @Override
    public Set<String> kinds() {
        return handlers.keySet();
    }

    @Override
    public int batch() {
        return spec.getBatch();
    }

    @Override
    public int concurrency() {
        return spec.getConcurrency();
    }

    @Override
    public void accept(Delivery delivery) {
        DeliveryWork work = new DeliveryWork(this, delivery);
        try {
            workManager.scheduleWork(work, WorkManager.INDEFINITE, null, work);
        } catch (WorkException e) {
            throw new IllegalStateException("no thread for " + delivery.job(), e);
        }
    }

    @Override
    public String toString() {
        return factory.getActivationName() + " (queue " + spec.getQueue() + ")";
    }
}
