package dev.sluice.sample.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a file of orders: comma-separated, UTF-8, a line of headings, no quotes and no commas within a value. */
public final class OrderFile {

    static final String HEADINGS = "number,customer,item,quantity,cents,payment";

    private OrderFile() {}

    /** The 10,000 orders that come with the sample. */
    public static List<OrderLine> ofTheSample() {
        try (InputStream file = OrderFile.class.getResourceAsStream("orders.csv")) {
            return read(new InputStreamReader(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads all lines.
     *
     * @throws IllegalArgumentException if a line is not an order; names the line and what is wrong with it
     * @throws IOException if the reader fails
     */
    public static List<OrderLine> read(Reader reader) throws IOException {
        BufferedReader lines = new BufferedReader(reader);
        String headings = lines.readLine();
        if (!HEADINGS.equals(headings)) {
            throw new IllegalArgumentException(
                    "Line 1 of the orders is not \"" + HEADINGS + "\" but \"" + headings + "\"");
        }
        List<OrderLine> orders = new ArrayList<>();
        int lineNumber = 1;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            lineNumber++;
            try {
                orders.add(parse(line));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "Line " + lineNumber + " of the orders is wrong: \"" + line + "\": " + e.getMessage(), e);
            }
        }
        return orders;
    }

    private static OrderLine parse(String line) {
        String[] values = line.split(",", -1);
        if (values.length != 6) {
            throw new IllegalArgumentException("it has " + values.length + " values, not 6");
        }
        OrderLine order = new OrderLine(
                Integer.parseInt(values[0]),
                values[1],
                values[2],
                Integer.parseInt(values[3]),
                Long.parseLong(values[4]),
                values[5]);
        if (order.quantity() < 1 || order.cents() < 0 || order.payment().isEmpty()) {
            throw new IllegalArgumentException("quantity is from 1, cents from 0, and payment not empty");
        }
        return order;
    }
}
