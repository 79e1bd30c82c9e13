package dev.sluice.sample.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes the sample's file of orders: the same each time, since {@link Random} is specified to the bit. */
final class OrderFileGenerator {

    private static final int ORDERS = 10_000;
    private static final String[] FIRST_NAMES = {
        "Ada", "Bashir", "Chiara", "Deniz", "Edgar", "Fatou", "Grace", "Håkon", "Ines", "José", "Kim", "Léa", "Miloš",
        "Nadia", "Olu", "Pia", "Quentin", "Rosa", "Søren", "Tomoko", "Uma", "Viktor", "Wanda", "Ximena", "Yusuf", "Zoë"
    };
    private static final String[] LAST_NAMES = {
        "Abbas", "Berg", "Costa", "Dvořák", "Eriksson", "Fischer", "García", "Hopper", "Ito", "Jones", "Kowalska",
        "Lovelace", "Müller", "Nguyen", "O'Brien", "Petrov", "Quispe", "Rossi", "Şahin", "Turing", "Usman", "Vogel",
        "Weiß", "Yamada", "Zhang"
    };
    private static final String[] ITEMS = {
        "anvil",
        "bicycle bell",
        "coffee mill",
        "desk lamp",
        "enamel mug",
        "folding chair",
        "garden hose",
        "hammock",
        "ink pen",
        "jigsaw puzzle",
        "kettle",
        "lantern",
        "music box",
        "notebook",
        "oil can",
        "paint brush",
        "quilt",
        "reading glasses",
        "saw",
        "teapot",
        "umbrella",
        "vase",
        "watering can",
        "yarn",
        "zip bag 12\""
    };

    private OrderFileGenerator() {}

    static String text() {
        Random random = new Random(10_000);
        StringBuilder text = new StringBuilder(OrderFile.HEADINGS).append('\n');
        for (int number = 1; number <= ORDERS; number++) {
            int quantity = 1 + random.nextInt(9);
            int price = 99 + 50 * random.nextInt(400);
            text.append(number).append(',');
            text.append(FIRST_NAMES[random.nextInt(FIRST_NAMES.length)]).append(' ');
            text.append(LAST_NAMES[random.nextInt(LAST_NAMES.length)]).append(',');
            text.append(ITEMS[random.nextInt(ITEMS.length)]).append(',');
            text.append(quantity).append(',').append(quantity * price).append(',');
            text.append(payment(number, random)).append('\n');
        }
        return text.toString();
    }

    private static String payment(int number, Random random) {
        boolean card = random.nextInt(10) < 6;
        if (number % 500 == 77) {
            return "expired-card";
        }
        if (number % 100 == 42) {
            return "transfer";
        }
        return card ? "card" : "invoice";
    }

    /** Writes the file anew: {@code OrderFileGenerator FILE}. */
    public static void main(String... arguments) throws IOException {
        Files.writeString(Path.of(arguments[0]), text());
    }
}
