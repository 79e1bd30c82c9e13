package dev.sluice.sample.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderFileTest {

    @Test
    @DisplayName("The file in the repository is the one that its generator writes")
    void isGenerated() throws Exception {
        try (var file = OrderFile.class.getResourceAsStream("orders.csv")) {
            assertEquals(OrderFileGenerator.text(), new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @DisplayName("The sample has 10,000 orders, numbered from 1; 1% fail at first and 0.2% always")
    void hasTheOrdersPromised() {
        List<OrderLine> orders = OrderFile.ofTheSample();

        assertEquals(
                IntStream.rangeClosed(1, 10_000).boxed().toList(),
                orders.stream().map(OrderLine::number).toList());
        Map<String, Long> payments =
                orders.stream().collect(Collectors.groupingBy(OrderLine::payment, Collectors.counting()));
        assertEquals(100, payments.get("transfer"));
        assertEquals(20, payments.get("expired-card"));
        assertTrue(payments.get("card") > 5_000 && payments.get("invoice") > 3_000, payments::toString);
    }

    @Test
    @DisplayName("A line becomes an order, letters beyond ASCII and quotes as they are")
    void readsALine() throws Exception {
        List<OrderLine> orders =
                OrderFile.read(new StringReader(OrderFile.HEADINGS + "\n7,Zoë O'Brien,zip bag 12\",3,1497,invoice\n"));

        assertEquals(List.of(new OrderLine(7, "Zoë O'Brien", "zip bag 12\"", 3, 1497, "invoice")), orders);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1,Ada,anvil,1,100",
                "x,Ada,anvil,1,100,card",
                "1,Ada,anvil,0,100,card",
                "1,Ada,anvil,1,1,card,"
            })
    @DisplayName("A line that is not an order is refused with its number and its text")
    void refusesALine(String line) {
        StringReader file = new StringReader(OrderFile.HEADINGS + "\n1,Ada,anvil,1,100,card\n" + line + "\n");

        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> OrderFile.read(file));

        assertTrue(
                refusal.getMessage().startsWith("Line 3 of the orders is wrong: \"" + line + "\": "),
                refusal::getMessage);
    }

    @Test
    @DisplayName("A file without the headings is refused")
    void refusesOtherHeadings() {
        assertThrows(IllegalArgumentException.class, () -> OrderFile.read(new StringReader("a,b,c\n")));
        assertThrows(IllegalArgumentException.class, () -> OrderFile.read(new StringReader("")));
    }
}
