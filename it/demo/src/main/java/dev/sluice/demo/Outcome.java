package dev.sluice.demo;

import dev.sluice.api.NodeStatus;
import java.util.Locale;

/**
 * What the demo prints last.
 *
 * @param tally                of the orders
 * @param claims               the server's last word, for the durations of its claims; null if it said nothing
 * @param reportsDone          reports that completed
 * @param reportsMaxConcurrent the most that the database worked on at the same time
 */
record Outcome(Tally tally, NodeStatus claims, long reportsDone, int reportsMaxConcurrent) {

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
                claims == null ? null : millis(claims.claimP50Millis()),
                claims == null ? null : millis(claims.claimP99Millis()),
                reportsDone,
                reportsMaxConcurrent);
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
