package dev.sluice.bench.option;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An option whose value is a whole number within limits. */
public abstract class WholeNumber implements ITypeConverter<Integer> {

    static final class Seconds extends WholeNumber {
        Seconds() {
            super(5, 86_400);
        }
    }

    static final class Rate extends WholeNumber {
        Rate() {
            super(1, 100_000);
        }
    }

    /** As many as the server's activation takes without further settings. */
    static final class Workers extends WholeNumber {
        Workers() {
            super(1, 500);
        }
    }

    static final class Batch extends WholeNumber {
        Batch() {
            super(1, 1_000);
        }
    }

    static final class Producers extends WholeNumber {
        Producers() {
            super(1, 500);
        }
    }

    static final class Queues extends WholeNumber {
        Queues() {
            super(1, 1_000);
        }
    }

    /** Of a backlog. */
    public static final class Jobs extends WholeNumber {
        Jobs() {
            super(1_000, 100_000_000);
        }
    }

    static final class Millis extends WholeNumber {
        Millis() {
            super(0, 60_000);
        }
    }

    /** From what a job's number needs to what a queue takes if nobody has changed that. */
    static final class PayloadBytes extends WholeNumber {
        PayloadBytes() {
            super(50, 1_048_576);
        }
    }

    static final class Seed extends WholeNumber {
        Seed() {
            super(0, Integer.MAX_VALUE);
        }
    }

    private final int least;
    private final int most;

    private WholeNumber(int least, int most) {
        this.least = least;
        this.most = most;
    }

    @Override
    public Integer convert(String value) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below, with the same words
        }
        throw new TypeConversionException(
                String.format(Locale.ROOT, "allowed is a whole number from %d to %d, not \"%s\"", least, most, value));
    }
}
