/**
 * Tests that run inside a server, put there by Arquillian: with the application's own data sources, transactions and
 * queues at hand.
 */
package dev.sluice.it.container;
