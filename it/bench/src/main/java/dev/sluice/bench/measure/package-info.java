/** Ways to look at a run from outside: what PostgreSQL says of it, what it wrote, and what became of every job. */
package dev.sluice.bench.measure;
