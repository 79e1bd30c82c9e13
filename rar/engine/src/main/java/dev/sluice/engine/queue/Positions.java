package dev.sluice.engine.queue;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The {@linkplain Position position} of a node in each queue, and for each choice of kinds apart, since a claim passes
 * over those that it does not take. Belongs to one connection of the node: when that breaks the server may have
 * restarted, and positions with it gone back.
 */
public final class Positions {

    private record Claimed(String queue, Kinds kinds) {}

    private final Map<Claimed, Position> positions = new ConcurrentHashMap<>();

    Position of(String queue, Kinds kinds) {
        return positions.computeIfAbsent(new Claimed(queue, kinds), claimed -> new Position());
    }

    /** The sweep saw this job waiting: claims must reach it. */
    public void waiting(String queue, int priority, long pos) {
        positions.forEach((claimed, position) -> {
            if (claimed.queue().equals(queue)) {
                position.waiting(priority, pos);
            }
        });
    }
}
