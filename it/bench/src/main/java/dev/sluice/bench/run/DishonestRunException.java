package dev.sluice.bench.run;

/** The run says nothing about what it was to measure. The message says why. Ends the program with status 3. */
public final class DishonestRunException extends Exception {

    private static final long serialVersionUID = 1L;

    public DishonestRunException(String message) {
        super(message);
    }
}
