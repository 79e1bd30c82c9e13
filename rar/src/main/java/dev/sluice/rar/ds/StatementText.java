package dev.sluice.rar.ds;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What a text does besides its work, as far as its words tell: a function that it calls may do the same unseen. In doubt it
 * does.
 *
 * @param endsTransaction whether it commits, rolls back or prepares the transaction that it is executed in
 * @param changesSession  whether its effect outlives its transaction on the session, so that the connection is not for
 *                        others
 */
record StatementText(boolean endsTransaction, boolean changesSession) {

    /** Of no text. */
    static final StatementText NONE = new StatementText(false, false);

    /** The body of a function in standard SQL: its statements, up to the first end that stands where one of them would. */
    private static final Pattern ATOMIC =
            Pattern.compile("\\bbegin\\s+atomic\\b.*?;\\s*end\\b", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern ENDING = Pattern.compile(
            "(?:^|;)\\s*+(?:commit|end|abort|prepare\\s+transaction|rollback(?!(?:\\s+(?:work|transaction))?\\s+to))\\b",
            Pattern.CASE_INSENSITIVE);

    /** With which words a statement changes the session, and with which at any place in it. */
    private static final String CHANGES =
            "\\s*+(?:set\\s++(?!local\\b|transaction\\b|constraints\\b)|reset\\b|discard\\b|listen\\b|load\\b"
                    + "|prepare\\s++(?!transaction\\b)|deallocate\\b|start\\s+transaction\\b"
                    + "|create\\s+(?:local\\s+|global\\s+)?temp|declare\\b[^;]*\\bwith\\s+hold\\b)";

    private static final String ANYWHERE = "|\\bset_config\\s*\\(|\\bpg_(?:try_)?advisory_lock|\\binto\\s+temp";

    private static final Pattern CHANGE =
            Pattern.compile("(?:^|;)(?:\\s*+begin\\b|" + CHANGES + ")" + ANYWHERE, Pattern.CASE_INSENSITIVE);

    private static final Pattern CHANGE_IN_BODY =
            Pattern.compile("(?:^|;|\\b(?:begin|then|else|loop)\\b)" + CHANGES + ANYWHERE, Pattern.CASE_INSENSITIVE);

    /** @param sql null is none */
    static StatementText of(String sql) {
        if (sql == null) {
            return NONE;
        }
        StatementScanner scanner = new StatementScanner(sql);
        String words = ATOMIC.matcher(scanner.words()).replaceAll("");
        return new StatementText(
                ENDING.matcher(words).find(), CHANGE.matcher(words).find() || changesInBody(scanner.bodies()));
    }

    private static boolean changesInBody(List<String> bodies) {
        return bodies.stream()
                .map(StatementScanner::new)
                .anyMatch(body -> CHANGE_IN_BODY.matcher(body.words()).find() || changesInBody(body.bodies()));
    }
}
