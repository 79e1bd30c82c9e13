package dev.sluice.api;

/** Something that Sluice could not do; the message names the thing and the remedy. */
public class SluiceException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SluiceException(String message) {
        super(message);
    }

    public SluiceException(String message, Throwable cause) {
        super(message, cause);
    }
}
