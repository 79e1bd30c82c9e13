package dev.sluice.bench.site;

/** PostgreSQL does not start with the parameters that were asked for. */
public final class ParametersRefusedException extends SiteException {

    private static final long serialVersionUID = 1L;

    ParametersRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
