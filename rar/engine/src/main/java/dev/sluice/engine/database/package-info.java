/** How the database is reached, what it is configured with, and what its errors mean. Knows nothing of jobs. */
package dev.sluice.engine.database;
