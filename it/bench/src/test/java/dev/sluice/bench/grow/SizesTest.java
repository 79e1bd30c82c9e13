package dev.sluice.bench.grow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The sizes of the growing queue")
class SizesTest {

    @Test
    @DisplayName("are powers of ten from 10,000, and the largest that was asked for")
    void sizes() {
        assertEquals(List.of(10_000, 100_000, 1_000_000, 10_000_000), new Sizes(10_000_000, OptionalInt.empty()).all());
        assertEquals(List.of(10_000, 100_000, 250_000), new Sizes(250_000, OptionalInt.empty()).all());
        assertEquals(List.of(10_000, 100_000), new Sizes(100_000, OptionalInt.empty()).all());
    }

    @Test
    @DisplayName("are all allowed in a run without a limit")
    void noLimit() {
        Sizes sizes = new Sizes(10_000_000, OptionalInt.empty());
        assertTrue(sizes.allow(10_000_000, 1_000, 1_000));
        assertEquals(10, sizes.look());
    }

    @Test
    @DisplayName("are left out from the third on where there is no time for them")
    void limit() {
        Sizes sizes = new Sizes(10_000_000, OptionalInt.of(60));
        assertTrue(sizes.allow(100_000, 100, 100));
        assertTrue(sizes.allow(1_000_000, 30, 30));
        assertFalse(sizes.allow(1_000_000, 30, 31));
        assertEquals(7.5, sizes.look());
    }
}
