package dev.sluice.bench.pin;

import dev.sluice.bench.measure.StatementMeasure;
import dev.sluice.bench.measure.WalPosition;

/**
 * What all counters said at one moment.
 *
 * @param seconds    on the monitor's clock
 * @param claims     claims that found a job
 * @param statements the claims' statements, also those that found nothing
 * @param wal        the position in the log
 * @param entries    rows in the ledger
 */
record Mark(double seconds, long claims, StatementMeasure.Count statements, WalPosition wal, long entries) {}
