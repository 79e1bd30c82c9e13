package dev.sluice.bench.site;

/** What a run takes place on cannot be had. The message says what is missing and what to do. */
public class SiteException extends Exception {

    private static final long serialVersionUID = 1L;

    public SiteException(String message) {
        super(message);
    }

    public SiteException(String message, Throwable cause) {
        super(message, cause);
    }
}
