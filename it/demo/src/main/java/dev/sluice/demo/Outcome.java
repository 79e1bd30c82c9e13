package dev.sluice.demo;

import java.util.Locale;

/**
 * What the demo prints last.
 *
 * @param tally                of the orders
 * @param claims               how long claims took
 * @param reportsDone          reports that completed
 * @param reportsMaxConcurrent the most that the database worked on at the same time
 */
record Outcome(Tally tally, ClaimTimes claims, long reportsDone, int reportsMaxConcurrent) {

    /** One JSON object on one line. A duration that is not known is null. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"enqueued\":%d,\"done\":%d,\"dead_letters\":%d,\"waiting\":%d,\"lost\":%d,\"doubled\":%d,"
                        + "\"claim_p50_ms\":%s,\"claim_p99_ms\":%s,\"claim_max_ms\":%s,\"reports_done\":%d,"
                        + "\"reports_max_concurrent\":%d}",
                tally.enqueued(),
                tally.done(),
                tally.deadLetters(),
                tally.waiting(),
                tally.lost(),
                tally.doubled(),
                millis(claims.p50Millis()),
                millis(claims.p99Millis()),
                millis(claims.maxMillis()),
                reportsDone,
                reportsMaxConcurrent);
    }

    private static String millis(Double value) {
        return value == null ? "null" : String.format(Locale.ROOT, "%.3f", value);
    }
}
