package dev.sluice.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.NodeStatus;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private final Tally tally = new Tally(100, 97, 2, 1, 0, 0);
    private final ClaimTimes claims = new ClaimTimes();

    private static NodeStatus status(double p50, double p99, double max) {
        return new NodeStatus(1, true, null, 0, 0, 97, 2, 40, p50, p99, max, 0, 0);
    }

    @Test
    @DisplayName(
            "The outcome is one JSON object on one line, with the medians of the claims' percentiles and the longest")
    void isJson() {
        claims.add(status(0.4, 2, 90));
        claims.add(status(0.5, 9, 9));
        claims.add(status(0.6, 2.25, 3));
        claims.add(status(0, 0, 0));

        assertEquals(
                "{\"enqueued\":100,\"done\":97,\"dead_letters\":2,\"waiting\":1,\"lost\":0,\"doubled\":0,"
                        + "\"claim_p50_ms\":0.500,\"claim_p99_ms\":2.250,\"claim_max_ms\":90.000,"
                        + "\"reports_done\":9,\"reports_max_concurrent\":1}",
                new Outcome(tally, claims, 9, 1).json());
    }

    @Test
    @DisplayName("Durations of a server that said nothing are null")
    void hasNulls() {
        String json = new Outcome(tally, claims, 0, 0).json();

        assertTrue(json.contains("\"claim_p50_ms\":null,\"claim_p99_ms\":null,\"claim_max_ms\":null"), json);
    }
}
