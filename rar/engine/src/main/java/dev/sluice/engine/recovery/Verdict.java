package dev.sluice.engine.recovery;

import java.util.Locale;

/** How a prepared transaction is to end, or did end. */
public enum Verdict {
    COMMIT,
    ROLLBACK;

    /** As the tables and functions of the schema write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Null for null. */
    static Verdict of(String text) {
        return text == null ? null : valueOf(text.toUpperCase(Locale.ROOT));
    }
}
