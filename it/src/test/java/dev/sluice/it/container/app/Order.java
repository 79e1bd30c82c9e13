package dev.sluice.it.container.app;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A payload with everything that a payload is made of.
 *
 * @param number   a whole number larger than a double holds
 * @param customer text beyond ASCII
 * @param placed   a time
 * @param urgent   a truth
 * @param note     nothing
 * @param lines    records within a record
 * @param labels   a map
 */
public record Order(
        long number,
        String customer,
        Instant placed,
        boolean urgent,
        String note,
        List<Line> lines,
        Map<String, String> labels) {

    /** One of its parts. */
    public record Line(String article, int quantity, BigDecimal price, List<String> remarks) {}

    /** What a test sends and the handler is to be given. */
    public static final Order SAMPLE = new Order(
            Long.MAX_VALUE,
            "Zoë \"Zee\" O'Neill \\ 😀 \n\t",
            Instant.parse("2026-03-29T01:59:59.123456Z"),
            true,
            null,
            List.of(
                    new Line("nut", 12, new BigDecimal("0.10"), List.of("M8", "zinc")),
                    new Line("bolt", 0, new BigDecimal("123456789012345678.9"), List.of())),
            Map.of("colour", "blue", "", "empty"));
}
