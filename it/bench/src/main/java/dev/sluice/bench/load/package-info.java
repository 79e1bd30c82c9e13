/** How jobs get into a queue. */
package dev.sluice.bench.load;
