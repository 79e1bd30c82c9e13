/**
 * Keeps the queue's tables small while the horizon is pinned: opens the next table when the dead rows of the current one
 * pile up, and empties those that nobody needs any more.
 */
package dev.sluice.engine.rotation;
