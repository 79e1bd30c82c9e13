package dev.sluice.api;

/** A job that was not enqueued; the message says what is wrong with it. */
public class JobRefusedException extends SluiceException {

    private static final long serialVersionUID = 1L;

    public JobRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
