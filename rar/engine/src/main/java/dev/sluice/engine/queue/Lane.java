package dev.sluice.engine.queue;

/**
 * Jobs of one priority of one queue in one epoch: they are claimed in the order of their positions.
 *
 * @param priority 0 (urgent) to 3 (low)
 */
public record Lane(int epoch, String queue, short priority) {}
