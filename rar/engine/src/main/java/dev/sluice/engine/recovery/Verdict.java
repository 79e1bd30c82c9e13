package dev.sluice.engine.recovery;

/** How a prepared transaction is to end, or did end. */
public enum Verdict {
    COMMIT,
    ROLLBACK;

    /** As the tables and functions of the schema write it. */
    String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Null for null. */
    static Verdict of(String text) {
        return text == null ? null : valueOf(text.toUpperCase(java.util.Locale.ROOT));
    }
}
