package dev.sluice.bench.drain;

import dev.sluice.api.NodeStatus;
import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.run.DishonestRunException;

/** The workers of an engine. */
final class EngineCrew implements Crew {

    private final EngineNode node;

    EngineCrew(EngineNode node) {
        this.node = node;
    }

    @Override
    public Progress progress() {
        return Progress.of(node.status());
    }

    @Override
    public void requireUnharmed() throws DishonestRunException {
        NodeStatus status = node.status();
        if (status.failed() > 0) {
            throw new DishonestRunException(status.failed() + " attempts of handlers that do nothing failed");
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
