/** Command {@code pin}: what becomes of a queue while somebody holds the MVCC horizon back. */
package dev.sluice.bench.pin;
