/**
 * The bench's handlers, a bean and a queue for each way to write the same row: nothing, through {@code sluice/ds}, through
 * Jakarta Persistence on it, and through a second XA data source.
 */
package dev.sluice.bench.handlers;
