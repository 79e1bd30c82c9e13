/**
 * Prepared transactions: ending them, seeing which are left behind, and carrying out what people decided of those. Knows
 * their names and nothing of the protocol that gave them.
 */
package dev.sluice.engine.recovery;
