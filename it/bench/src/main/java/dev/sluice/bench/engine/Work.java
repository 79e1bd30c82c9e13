package dev.sluice.bench.engine;

import dev.sluice.engine.delivery.Delivery;

/** What a handler does with the jobs of one call, in their transaction. */
@FunctionalInterface
public interface Work {

    /** Nothing, so that what is measured is the delivery. */
    Work NONE = delivery -> {};

    /** @throws Exception if the attempt is to fail; the transaction is then rolled back */
    void handle(Delivery delivery) throws Exception;
}
