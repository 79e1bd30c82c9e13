package dev.sluice.bench.option;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An option whose value is one of a few words. */
public abstract class Words<E extends Enum<E>> implements ITypeConverter<E> {

    static final class OfClaimMode extends Words<ClaimMode> {
        OfClaimMode() {
            super(ClaimMode.values());
        }
    }

    static final class OfThrough extends Words<Through> {
        OfThrough() {
            super(Through.values());
        }
    }

    private final E[] allowed;

    protected Words(E[] allowed) {
        this.allowed = allowed;
    }

    /** A constant as it is written on the command line. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public E convert(String value) {
        for (E one : allowed) {
            if (of(one).equals(value)) {
                return one;
            }
        }
        throw new TypeConversionException(
                "allowed is " + Arrays.stream(allowed).map(Words::of).collect(Collectors.joining(" or ")) + ", not \""
                        + value + "\"");
    }
}
