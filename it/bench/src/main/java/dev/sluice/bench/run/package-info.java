/** What all commands have in common: a run is started, watched, stopped and written down. */
package dev.sluice.bench.run;
