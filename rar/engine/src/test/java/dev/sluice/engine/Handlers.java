package dev.sluice.engine;

import dev.sluice.engine.delivery.ClaimMode;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.RetryPolicy;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

/** Delivers as a container would. */
public final class Handlers implements Subscriber {

    private final String queue;
    private final Set<String> kinds;
    private final RetryPolicy policy;
    private final QueueFixture.Handler container;
    private final ExecutorService workers;
    public final ConcurrentLinkedQueue<Job> seen = new ConcurrentLinkedQueue<>();
    /** Deliveries whose handler's transaction has ended. */
    public final AtomicInteger ended = new AtomicInteger();
    /** Deliveries of which was noted what became of them. */
    public final AtomicInteger settled = new AtomicInteger();

    public volatile ClaimMode mode = ClaimMode.LEASED;
    public volatile Set<String> batchKinds = Set.of();
    public volatile int concurrency = 8;
    public volatile int batch = 10;

    Handlers(
            String queue,
            Set<String> kinds,
            RetryPolicy policy,
            QueueFixture.Handler container,
            ExecutorService workers) {
        this.queue = queue;
        this.kinds = kinds;
        this.policy = policy;
        this.container = container;
        this.workers = workers;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public RetryPolicy retryPolicy() {
        return policy;
    }

    @Override
    public ClaimMode mode() {
        return mode;
    }

    @Override
    public Set<String> kinds() {
        return kinds;
    }

    @Override
    public Set<String> batchKinds() {
        return batchKinds;
    }

    @Override
    public int batch() {
        return batch;
    }

    @Override
    public int concurrency() {
        return concurrency;
    }

    @Override
    public void accept(Delivery delivery) {
        workers.execute(() -> {
            for (Delivery next = delivery; next != null; next = next.next()) {
                if (next.open()) {
                    deliver(next);
                }
            }
        });
    }

    private void deliver(Delivery delivery) {
        seen.addAll(delivery.jobs());
        try {
            container.run(delivery);
        } catch (Exception e) {
            delivery.fail(e);
        } finally {
            ended.incrementAndGet();
            delivery.settle();
            settled.incrementAndGet();
        }
    }
}
