/** What a run takes place on: PostgreSQL with the bench's databases, and Open Liberty with the bench's application. */
package dev.sluice.bench.site;
