package dev.sluice.demo;

import java.util.Locale;

/**
 * What the demo prints last.
 *
 * @param tally                of the orders
 * @param claims               the server's last word, for the durations of its claims
 * @param reportsDone          reports that completed
 * @param reportsMaxConcurrent the most that the database worked on at the same time
 */
record Outcome(Tally tally, SampleApi.Status claims, long reportsDone, int reportsMaxConcurrent) {

    /** One JSON object on one line. A duration that is not known is null. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"enqueued\":%d,\"done\":%d,\"dead_letters\":%d,\"waiting\":%d,\"lost\":%d,\"doubled\":%d,"
                        + "\"claim_p50_ms\":%s,\"claim_p99_ms\":%s,\"reports_done\":%d,\"reports_max_concurrent\":%d}",
                tally.enqueued(),
                tally.done(),
                tally.deadLetters(),
                tally.waiting(),
                tally.lost(),
                tally.doubled(),
                millis(claims.claimP50Millis()),
                millis(claims.claimP99Millis()),
                reportsDone,
                reportsMaxConcurrent);
    }

    private static String millis(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null";
    }
}
