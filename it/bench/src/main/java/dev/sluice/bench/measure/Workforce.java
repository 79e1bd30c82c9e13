package dev.sluice.bench.measure;

import java.io.IOException;

/** Those who handle jobs, be it a server or the engine in this JVM. */
@FunctionalInterface
public interface Workforce {

    /**
     * How far they are.
     *
     * @param delivered      jobs done since they started
     * @param claimP50Millis median duration of their claims that found a job, in milliseconds
     * @param claimP99Millis the 99th percentile of these
     */
    record Progress(long delivered, double claimP50Millis, double claimP99Millis) {}

    /** @throws IOException if they do not answer */
    Progress progress() throws IOException, InterruptedException;
}
