/** The measuring bench. {@link dev.sluice.bench.Bench} is where it begins; a command is a package of its own. */
package dev.sluice.bench;
