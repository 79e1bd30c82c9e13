package dev.sluice.bench.measure;

/**
 * A position in the write-ahead log.
 *
 * @param lsn as PostgreSQL writes it, such as 0/16B3748
 */
public record WalPosition(String lsn) {}
