package dev.sluice.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("A payload")
class PayloadsTest {

    @ParameterizedTest
    @DisplayName("is JSON with the job's number, of exactly the size asked for")
    @ValueSource(ints = {50, 100, 100_000})
    void size(int bytes) {
        Payloads payloads = new Payloads(bytes, 1);
        for (long number : new long[] {1, 99, 9_999_999_999L}) {
            String payload = payloads.of(number);
            JsonNode json = JsonMapper.shared().readTree(payload);
            assertEquals(bytes, payload.length());
            assertEquals(number, json.get("number").asLong());
        }
    }

    @Test
    @DisplayName("is the same again with the same seed only")
    void seed() {
        assertEquals(new Payloads(100, 1).of(7), new Payloads(100, 1).of(7));
        assertNotEquals(new Payloads(100, 1).of(7), new Payloads(100, 2).of(7));
    }

    @ParameterizedTest
    @DisplayName("tells the number, and whether the handler is to fail")
    @ValueSource(booleans = {false, true})
    void read(boolean fails) {
        String payload = new Payloads(100, 1).of(new PlannedJob("q", 12_345, 2, 0, fails, 0));

        assertEquals(12_345, Payloads.number(payload));
        assertEquals(fails, Payloads.fails(payload));
        assertEquals(100, payload.length());
        assertEquals(fails, JsonMapper.shared().readTree(payload).path("fails").asBoolean(false));
    }
}
