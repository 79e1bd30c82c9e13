package dev.sluice.bench.site;

import dev.sluice.bench.option.ClaimMode;

/**
 * How jobs are handled.
 *
 * @param workers jobs at the same time, for each queue
 * @param batch   jobs of one claim at most
 * @param workMillis what a transaction of the handler of queue {@code work} takes beside its writes, in ms
 */
public record Handling(ClaimMode mode, int workers, int batch, int workMillis) {}
