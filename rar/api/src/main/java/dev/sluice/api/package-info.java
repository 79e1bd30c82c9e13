/**
 * All that an application compiles against: handlers ({@link dev.sluice.api.JobListener}, {@link dev.sluice.api.OnJob}),
 * enqueueing ({@link dev.sluice.api.JobQueue}) and admission ({@link dev.sluice.api.Operations}).
 */
package dev.sluice.api;
