/** Command {@code drain}: how fast a backlog is emptied, by the engine and by bare SQL. */
package dev.sluice.bench.drain;
