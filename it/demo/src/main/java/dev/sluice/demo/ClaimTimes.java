package dev.sluice.demo;

import dev.sluice.api.NodeStatus;
import java.util.ArrayList;
import java.util.List;

/**
 * How long claims took in the whole run. The server's status speaks of the last 10 seconds, so it is asked all along, and a
 * percentile of the run is the median of those. A duration is null as long as no claim was seen.
 */
final class ClaimTimes {

    private final List<Double> p50s = new ArrayList<>();
    private final List<Double> p99s = new ArrayList<>();
    private Double max;

    /** Takes note of what the server says now. */
    synchronized void add(NodeStatus status) {
        if (status.claimMaxMillis() == 0) {
            return;
        }
        p50s.add(status.claimP50Millis());
        p99s.add(status.claimP99Millis());
        max = max == null ? status.claimMaxMillis() : Math.max(max, status.claimMaxMillis());
    }

    synchronized Double p50Millis() {
        return median(p50s);
    }

    synchronized Double p99Millis() {
        return median(p99s);
    }

    synchronized Double maxMillis() {
        return max;
    }

    private static Double median(List<Double> values) {
        return values.isEmpty() ? null : values.stream().sorted().toList().get(values.size() / 2);
    }
}
