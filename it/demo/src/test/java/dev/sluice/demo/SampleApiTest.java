package dev.sluice.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SampleApiTest {

    @Test
    @DisplayName("Values of a flat JSON object are found by name, whatever their type")
    void findsValues() {
        String json =
                "{\"ready\":false, \"problem\":\"role \\\"x\\\", no\",\"delivered\":12,\"claimP50Millis\":1.5E-4}";

        assertEquals("false", SampleApi.value(json, "ready", "-"));
        assertEquals("role \\\"x\\\", no", SampleApi.value(json, "problem", "-"));
        assertEquals("12", SampleApi.value(json, "delivered", "-"));
        assertEquals("1.5E-4", SampleApi.value(json, "claimP50Millis", "-"));
        assertEquals("-", SampleApi.value(json, "claimP99Millis", "-"));
    }
}
