package dev.sluice.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoSettingsTest {

    private final Properties properties = new Properties();

    @Test
    @DisplayName("Without properties: 800 orders a second until Ctrl-C, one report at a time, no pin, leased claims")
    void hasDefaults() {
        assertEquals(
                new DemoSettings(
                        800, 0, DemoSettings.Admission.ON, DemoSettings.PinKind.NONE, DemoSettings.ClaimMode.LEASED),
                DemoSettings.of(properties));
    }

    @Test
    @DisplayName("Every property is read")
    void readsAll() {
        properties.setProperty("demo.rate", "50");
        properties.setProperty("demo.seconds", "60");
        properties.setProperty("demo.admission", "off");
        properties.setProperty("demo.pin", "snapshot");
        properties.setProperty("demo.mode", "transactional");

        assertEquals(
                new DemoSettings(
                        50,
                        60,
                        DemoSettings.Admission.OFF,
                        DemoSettings.PinKind.SNAPSHOT,
                        DemoSettings.ClaimMode.TRANSACTIONAL),
                DemoSettings.of(properties));
    }

    @ParameterizedTest
    @CsvSource({
        "demo.rate, 0, a whole number from 1 to 100000",
        "demo.rate, 100001, a whole number from 1 to 100000",
        "demo.rate, fast, a whole number from 1 to 100000",
        "demo.rate, '', a whole number from 1 to 100000",
        "demo.seconds, -1, a whole number from 1 to 86400",
        "demo.seconds, 1.5, a whole number from 1 to 86400",
        "demo.admission, ON, on or off",
        "demo.pin, xmin, none or snapshot or xid",
        "demo.mode, xa, leased or transactional"
    })
    @DisplayName("A wrong value is refused: the property, the value and what is allowed are named")
    void refusesValues(String name, String value, String allowed) {
        properties.setProperty(name, value);

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> DemoSettings.of(properties));

        assertEquals(name + " is \"" + value + "\"; allowed is " + allowed + ".", refusal.getMessage());
    }

    @Test
    @DisplayName("A property that does not exist is refused")
    void refusesNames() {
        properties.setProperty("demo.rates", "800");

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> DemoSettings.of(properties));

        assertTrue(refusal.getMessage().startsWith("There is no property demo.rates."), refusal::getMessage);
    }
}
