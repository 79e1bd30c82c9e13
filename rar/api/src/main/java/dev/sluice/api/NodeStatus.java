package dev.sluice.api;

/**
 * A server's own view of its part in the queue since it started.
 *
 * @param node           the number of this start of the server among the nodes of the database; 0 while there is none
 * @param ready          whether the database is reachable and its schema right, so that jobs are delivered
 * @param problem        why it is not ready, or what is wrong although it is, for a person; null if nothing is known
 * @param running        calls of handlers that are under way
 * @param stuck          handlers that did not end long after their transaction's time; their jobs were given
 *     to others, and their threads are lost until they end
 * @param delivered      jobs that ended with their handler's transaction committed
 * @param failed         attempts that failed; of a list of jobs those that fail by themselves
 * @param claims         claims that found at least one job
 * @param claimP50Millis the median duration of those of the last 10 seconds, in milliseconds; 0 without any
 * @param claimP99Millis their 99th percentile, in milliseconds; 0 without any
 * @param claimMaxMillis the longest of them, in milliseconds; 0 without any
 * @param inDoubt        transactions of this database that a transaction manager prepared over 5 seconds ago and has not
 *                       ended; those of running two-phase commits last milliseconds and are not counted. -1 while that
 *                       cannot be seen
 * @param oldestInDoubtSeconds since when the oldest of them is prepared, in seconds; 0 without any, -1 while that cannot
 *                       be seen
 */
public record NodeStatus(
        long node,
        boolean ready,
        String problem,
        int running,
        int stuck,
        long delivered,
        long failed,
        long claims,
        double claimP50Millis,
        double claimP99Millis,
        double claimMaxMillis,
        int inDoubt,
        long oldestInDoubtSeconds) {}
