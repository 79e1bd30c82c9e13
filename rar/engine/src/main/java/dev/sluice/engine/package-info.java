/**
 * The queue itself. Knows PostgreSQL and JDBC, and of Jakarta EE nothing: it runs without a server.
 *
 * <p>{@link dev.sluice.engine.Engine} is a server's part in the queue. It holds one thread, which connects, brings the
 * schema up to date, claims jobs for its {@linkplain dev.sluice.engine.delivery.Subscriber subscribers} and keeps the
 * node alive.
 */
package dev.sluice.engine;
