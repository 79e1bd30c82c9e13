/** What an operator sees of the queue, below {@code /sluice/api}. */
package dev.sluice.console;
