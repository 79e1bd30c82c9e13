package dev.sluice.bench.queue;

import dev.sluice.bench.measure.Workforce;

/** The workers of a queue in this JVM. */
public interface QueueNode extends AutoCloseable {

    /** How far they are. */
    Workforce.Progress progress();

    /** Stops in order. */
    @Override
    void close();
}
