package dev.sluice.engine.delivery;

/** What is kept of an exception that a handler threw. */
final class Failure {

    /** Causes of causes that are kept. */
    private static final int LONGEST_CAUSES = 10;

    private Failure() {}

    /** Its text and those of its causes, a line each. */
    static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder(summary(failure));
        Throwable cause = failure.getCause();
        for (int depth = 0; cause != null && depth < LONGEST_CAUSES; depth++) {
            text.append("\ncaused by ").append(summary(cause));
            cause = cause.getCause();
        }
        return text.toString();
    }

    /** Its own text. An exception is the handler's, and may fail itself when it is asked what it says. */
    static String summary(Throwable failure) {
        try {
            return failure.toString();
        } catch (Throwable broken) {
            return failure.getClass().getName();
        }
    }
}
