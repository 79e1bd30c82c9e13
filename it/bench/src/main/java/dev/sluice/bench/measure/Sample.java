package dev.sluice.bench.measure;

/**
 * How a run was doing in one second. What could not be seen is null.
 *
 * @param seconds        since the run began
 * @param phase          what was being measured
 * @param depth          jobs that are enqueued and not done, as PostgreSQL's statistics have it, so up to a second late
 * @param claimP50Millis median duration of the claims that found a job, in milliseconds
 * @param claimP99Millis their 99th percentile
 * @param claimMaxMillis the longest of them
 * @param deadTuples     in all tables of the queue's schema, by the same statistics
 * @param bytes          of all tables of that schema, with their indexes
 * @param permits        permits in use
 * @param entries        rows that handlers have committed to the ledger, by the same statistics
 * @param jobsPerSecond  jobs done since the sample before
 */
public record Sample(
        double seconds,
        String phase,
        Long depth,
        Double claimP50Millis,
        Double claimP99Millis,
        Double claimMaxMillis,
        Long deadTuples,
        Long bytes,
        Long permits,
        Long entries,
        Double jobsPerSecond) {}
