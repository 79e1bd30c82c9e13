package dev.sluice.demo;

import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * What can be asked of the demo, as system properties.
 *
 * @param rate      {@code demo.rate}: orders a second, 1 to 100,000; 800 if not said
 * @param seconds   {@code demo.seconds}: how long orders are placed, 1 to 86,400; 0, if not said, until Ctrl-C
 * @param admission {@code demo.admission}: {@code on} admits one report at a time, {@code off} all; on if not said
 * @param pin       {@code demo.pin}: what holds the horizon for the whole run; none if not said
 * @param mode      {@code demo.mode}: {@code leased} or {@code transactional} claims; leased if not said
 */
record DemoSettings(int rate, int seconds, Admission admission, PinKind pin, ClaimMode mode) {

    private static final String PREFIX = "demo.";
    private static final String NAMES = "demo.rate, demo.seconds, demo.admission, demo.pin, demo.mode";

    enum Admission {
        ON,
        OFF
    }

    enum PinKind {
        NONE,
        SNAPSHOT,
        XID
    }

    enum ClaimMode {
        LEASED,
        TRANSACTIONAL
    }

    /**
     * Reads the properties that begin with {@code demo.}.
     *
     * @throws IllegalArgumentException if one has another name or a wrong value; names the property, the value and what is
     *     allowed
     */
    static DemoSettings of(Properties properties) {
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(PREFIX) && !Arrays.asList(NAMES.split(", ")).contains(name)) {
                throw new IllegalArgumentException("There is no property " + name + ". There are " + NAMES + ".");
            }
        }
        return new DemoSettings(
                number(properties, "demo.rate", 800, 100_000),
                number(properties, "demo.seconds", 0, 86_400),
                oneOf(properties, "demo.admission", Admission.ON),
                oneOf(properties, "demo.pin", PinKind.NONE),
                oneOf(properties, "demo.mode", ClaimMode.LEASED));
    }

    private static int number(Properties properties, String name, int otherwise, int most) {
        String value = properties.getProperty(name);
        if (value == null) {
            return otherwise;
        }
        if (value.matches("\\d{1,9}")) {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        }
        throw refusal(name, value, "a whole number from 1 to " + most);
    }

    private static <E extends Enum<E>> E oneOf(Properties properties, String name, E otherwise) {
        String value = properties.getProperty(name);
        if (value == null) {
            return otherwise;
        }
        E[] allowed = otherwise.getDeclaringClass().getEnumConstants();
        for (E one : allowed) {
            if (word(one).equals(value)) {
                return one;
            }
        }
        throw refusal(
                name, value, Arrays.stream(allowed).map(DemoSettings::word).collect(Collectors.joining(" or ")));
    }

    private static IllegalArgumentException refusal(String name, String value, String allowed) {
        return new IllegalArgumentException(name + " is \"" + value + "\"; allowed is " + allowed + ".");
    }

    /** A constant as it is written in a property. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return rate + " orders/s " + (seconds == 0 ? "until Ctrl-C" : "for " + seconds + " s") + ", "
                + (admission == Admission.ON ? "one report admitted at a time" : "every report admitted") + ", "
                + (pin == PinKind.NONE ? "horizon not pinned" : "horizon pinned by one " + word(pin)) + ", claims "
                + word(mode);
    }
}
