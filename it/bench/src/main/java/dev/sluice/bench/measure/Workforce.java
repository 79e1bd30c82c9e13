package dev.sluice.bench.measure;

import dev.sluice.api.NodeStatus;
import java.io.IOException;

/** Those who handle jobs, be it a server or the engine in a JVM of its own. */
@FunctionalInterface
public interface Workforce {

    /**
     * How far they are.
     *
     * @param delivered      jobs done since they started
     * @param failed         attempts that failed
     * @param claims         claims that found a job
     * @param claimP50Millis median duration of these claims, in milliseconds
     * @param claimP99Millis the 99th percentile of these
     * @param claimMaxMillis the longest of these
     */
    record Progress(
            long delivered,
            long failed,
            long claims,
            double claimP50Millis,
            double claimP99Millis,
            double claimMaxMillis) {

        /** What a node of Sluice says of itself. */
        public static Progress of(NodeStatus status) {
            return new Progress(
                    status.delivered(),
                    status.failed(),
                    status.claims(),
                    status.claimP50Millis(),
                    status.claimP99Millis(),
                    status.claimMaxMillis());
        }
    }

    /** @throws IOException if they do not answer */
    Progress progress() throws IOException, InterruptedException;
}
