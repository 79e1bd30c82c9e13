package dev.sluice.engine.queue;

import java.time.Duration;

/**
 * How a queue treats failed attempts; null: as the queue has it, or the default.
 *
 * @param maxAttempts attempts before a job becomes a dead letter
 * @param backoff     delay after the first failed attempt; doubles with every further one
 * @param backoffCap  the longest such delay
 */
public record RetryPolicy(Integer maxAttempts, Duration backoff, Duration backoffCap) {}
