package dev.sluice.bench.grow;

/**
 * What was seen while so many jobs waited. Times are in milliseconds.
 *
 * @param claims that found jobs
 */
record Look(int size, long claims, double claimP50, double claimP99, double enqueueP50, double enqueueP99) {}
