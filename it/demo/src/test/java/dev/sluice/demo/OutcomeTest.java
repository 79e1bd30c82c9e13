package dev.sluice.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private final Tally tally = new Tally(100, 97, 2, 1, 0, 0);

    @Test
    @DisplayName("The outcome is one JSON object on one line")
    void isJson() {
        SampleApi.Status claims = new SampleApi.Status(true, "null", 97, 0.5, 2.25);

        assertEquals(
                "{\"enqueued\":100,\"done\":97,\"dead_letters\":2,\"waiting\":1,\"lost\":0,\"doubled\":0,"
                        + "\"claim_p50_ms\":0.500,\"claim_p99_ms\":2.250,\"reports_done\":9,\"reports_max_concurrent\":1}",
                new Outcome(tally, claims, 9, 1).json());
    }

    @Test
    @DisplayName("A duration that is not known is null")
    void hasNulls() {
        SampleApi.Status claims = new SampleApi.Status(false, "down", 0, Double.NaN, Double.NaN);

        String json = new Outcome(tally, claims, 0, 0).json();

        assertEquals("null", SampleApi.value(json, "claim_p50_ms", ""));
        assertEquals("null", SampleApi.value(json, "claim_p99_ms", ""));
    }
}
