/** What can be asked of a run on the command line, checked. */
package dev.sluice.bench.option;
