/** Command {@code grow}: what a claim and an enqueue take while more and more jobs wait. */
package dev.sluice.bench.grow;
