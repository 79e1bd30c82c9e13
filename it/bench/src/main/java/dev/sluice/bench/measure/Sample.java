package dev.sluice.bench.measure;

/**
 * How a run was doing in one second. What could not be seen is null.
 *
 * @param seconds        since the run began
 * @param phase          what was being measured
 * @param depth          jobs that may run now or run, as PostgreSQL's statistics have it, so up to a second late
 * @param claimP50Millis median duration of the claims that found a job, in milliseconds
 * @param claimP99Millis their 99th percentile
 * @param deadTuples     in all tables of schema sluice, by the same statistics
 * @param permits        permits in use
 * @param jobsPerSecond  jobs done since the sample before
 */
public record Sample(
        double seconds,
        String phase,
        Long depth,
        Double claimP50Millis,
        Double claimP99Millis,
        Long deadTuples,
        Long permits,
        Double jobsPerSecond) {}
