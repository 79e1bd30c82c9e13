package dev.sluice.bench.engine;

import dev.sluice.bench.option.ClaimMode;
import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.delivery.Subscriber;
import dev.sluice.engine.queue.RetryPolicy;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The threads that handle the jobs of one queue, each call in a transaction of its own, as a container would do it. */
public final class Workers implements Subscriber, AutoCloseable {

    private static final RetryPolicy DEFAULT = new RetryPolicy(null, null, null);

    private final String queue;
    private final String kind;
    private final ClaimMode mode;
    private final int concurrency;
    private final int batch;
    private final boolean lists;
    private final Work work;
    private final ExecutorService threads;

    /**
     * @param queue       whose jobs it handles
     * @param kind        the only kind that it knows
     * @param concurrency calls at the same time
     * @param batch       jobs of one claim at most
     * @param lists       whether a call takes up to as many jobs, or one only
     * @param work        what each call does
     */
    public Workers(String queue, String kind, ClaimMode mode, int concurrency, int batch, boolean lists, Work work) {
        this.queue = queue;
        this.kind = kind;
        this.mode = mode;
        this.concurrency = concurrency;
        this.batch = batch;
        this.lists = lists;
        this.work = work;
        this.threads = Executors.newFixedThreadPool(concurrency, task -> {
            Thread thread = new Thread(task, "worker of " + queue);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public RetryPolicy retryPolicy() {
        return DEFAULT;
    }

    @Override
    public dev.sluice.engine.delivery.ClaimMode mode() {
        return dev.sluice.engine.delivery.ClaimMode.valueOf(mode.name());
    }

    @Override
    public Set<String> kinds() {
        return Set.of(kind);
    }

    @Override
    public Set<String> batchKinds() {
        return lists ? Set.of(kind) : Set.of();
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
        threads.execute(() -> {
            for (Delivery next = delivery; next != null; next = next.next()) {
                if (next.open()) {
                    handle(next);
                }
            }
        });
    }

    private void handle(Delivery delivery) {
        try {
            LocalTransaction.run(delivery, work);
        } finally {
            delivery.settle();
        }
    }

    /** Ends the threads; to be called when the engine delivers nothing any more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
