package dev.sluice.rar.ds;

import java.util.regex.Pattern;

/**
 * Recognises statements whose effect outlives their transaction on the session, so that its connection is not given to
 * others. It errs on the side of giving up a connection.
 */
final class SessionChange {

    /** What may stand before a statement: white space, comments, and other statements of the same text. */
    private static final String START = "(?:^|;)(?:\\s|/\\*.*?\\*/|--[^\\n]*\\n)*";

    private static final Pattern CHANGE = Pattern.compile(
            START + "(?:set\\s++(?!local\\b|transaction\\b|constraints\\b)|reset\\b|discard\\b|listen\\b|load\\b"
                    + "|create\\s+(?:local\\s+|global\\s+)?temp|declare\\b.*\\bwith\\s+hold\\b)"
                    + "|\\bset_config\\s*\\(|\\bpg_(?:try_)?advisory_lock|\\binto\\s+temp",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private SessionChange() {}

    /** Whether this text changes its session; null does not. */
    static boolean by(String sql) {
        return sql != null && CHANGE.matcher(sql).find();
    }
}
