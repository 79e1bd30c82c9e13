/**
 * Starts a real PostgreSQL and a real Open Liberty for tests, the demo and the bench.
 *
 * <p>{@link dev.sluice.launcher.PostgresServer} and {@link dev.sluice.launcher.LibertyServer} are the two servers. Neither
 * outlives the JVM that started it, even when that JVM is killed.
 */
package dev.sluice.launcher;
