package dev.sluice.api;

/** A permit that was not granted, or is lost; the message names the budget and the reason. */
public class AdmissionException extends SluiceException {

    private static final long serialVersionUID = 1L;

    public AdmissionException(String message) {
        super(message);
    }

    public AdmissionException(String message, Throwable cause) {
        super(message, cause);
    }
}
