/** What a run leaves behind: one JSON object, a table of samples and a chart. */
package dev.sluice.bench.result;
