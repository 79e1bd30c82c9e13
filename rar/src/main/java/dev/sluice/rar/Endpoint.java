package dev.sluice.rar;

import dev.sluice.engine.Engine;
import dev.sluice.engine.delivery.ClaimMode;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.RetryPolicy;
import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.resource.spi.work.WorkException;
import jakarta.resource.spi.work.WorkManager;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** An activated handler bean. Holds a thread of the server only while there is a job for it. */
final class Endpoint implements Subscriber {

    /** From when a container refuses beans until it says that the endpoint is deactivated. */
    private static final long REFUSAL_MILLIS = 2_000;

    private final MessageEndpointFactory factory;
    private final JobActivationSpec spec;
    private final Engine engine;
    private final WorkManager workManager;
    private final DeliveryContext context;
    private final ClaimMode mode;
    private final Handlers handlers;
    /** Those that run in a container transaction; asked once, rather than with each delivery. */
    private final Set<HandlerMethod> transacted;

    private volatile boolean closed;

    /** @throws ResourceException if the bean's handler methods are wrong, or its mode cannot be had with them */
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
        this.mode = spec.claimMode();
        this.handlers = Handlers.of(factory.getEndpointClass());
        this.transacted = transacted(factory, handlers);
        if (mode == ClaimMode.TRANSACTIONAL) {
            requireTransactions();
        }
    }

    private void requireTransactions() throws ResourceException {
        for (HandlerMethod handler : handlers.all()) {
            if (!transacted.contains(handler)) {
                throw new NotSupportedException("Mode transactional needs a container transaction, and "
                        + handler.method() + " has none: use TransactionAttributeType.REQUIRED, or mode leased");
            }
        }
    }

    private static Set<HandlerMethod> transacted(MessageEndpointFactory factory, Handlers handlers)
            throws ResourceException {
        Set<HandlerMethod> transacted = new HashSet<>();
        for (HandlerMethod handler : handlers.all()) {
            try {
                if (factory.isDeliveryTransacted(handler.method())) {
                    transacted.add(handler);
                }
            } catch (NoSuchMethodException e) {
                throw new NotSupportedException("No method that the container can call: " + handler.method(), e);
            }
        }
        return transacted;
    }

    /** Whether this delivery's handler runs in a container transaction. */
    boolean transacted(Delivery delivery) {
        // in mode transactional all do, and the job is claimed in it: it is not known yet
        return mode == ClaimMode.TRANSACTIONAL || transacted.contains(handler(delivery));
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
            notifyAll();
        }
        return engine.unsubscribe(this, longest);
    }

    boolean closed() {
        return closed;
    }

    /**
     * Whether the container made no bean because it deactivates the endpoint: it begins to refuse a moment before it tells
     * us.
     */
    boolean deactivates(UnavailableException refusal) {
        // a bean that cannot be made has a cause
        return closed || refusal.getCause() == null && awaitClosed(REFUSAL_MILLIS);
    }

    /** Waits this long at most, and returns whether the endpoint is closed, or the server stops. */
    synchronized boolean awaitClosed(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long left = millis; !closed && left > 0; ) {
                wait(left);
                left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
            }
        } catch (InterruptedException e) {
            // the server stops
            Thread.currentThread().interrupt();
            return true;
        }
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

    HandlerMethod handler(Delivery delivery) {
        return handlers.of(delivery.job().kind());
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
    public ClaimMode mode() {
        return mode;
    }

    @Override
    public Set<String> kinds() {
        return handlers.kinds();
    }

    @Override
    public Set<String> batchKinds() {
        return handlers.batchKinds();
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
            throw new IllegalStateException("no thread for " + delivery, e);
        }
    }

    @Override
    public String toString() {
        return factory.getActivationName() + " (queue " + spec.getQueue() + ")";
    }
}
