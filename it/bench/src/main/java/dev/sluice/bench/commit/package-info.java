/** Command {@code commit}: what the handler's writes cost, by the way in which they are committed with the job. */
package dev.sluice.bench.commit;
