/** The queues that can be measured: Sluice, and two that have the disease. */
package dev.sluice.bench.queue;
