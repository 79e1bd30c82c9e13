package dev.sluice.rar.ds;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads a text as PostgreSQL does (section 4.1), as far as to tell the words of its statements from what is quoted or
 * commented. What is not ended is quoted to the end of the text; PostgreSQL refuses it.
 */
final class StatementScanner {

    private final String text;
    private final StringBuilder words = new StringBuilder();
    private final List<String> bodies = new ArrayList<>();
    private int at;

    StatementScanner(String text) {
        this.text = text;
        while (at < text.length()) {
            next();
        }
    }

    /** The text with a blank for each comment and {@code ''} for all that is quoted. */
    String words() {
        return words.toString();
    }

    /** What is quoted by dollars: bodies of functions, as a rule. */
    List<String> bodies() {
        return bodies;
    }

    private void next() {
        char c = text.charAt(at);
        if (c == '\'' || c == '"') {
            quoted(c, c == '\'' && escapes());
        } else if (text.startsWith("--", at)) {
            comment(text.indexOf('\n', at));
        } else if (text.startsWith("/*", at)) {
            comment(endOfComment());
        } else if (c == '$' && !partOfName(at - 1) && endOfTag() > 0) {
            body(text.substring(at, endOfTag()));
        } else {
            words.append(c);
            at++;
        }
    }

    /** Whether the string that begins here is one with backslashes, E'...'. */
    private boolean escapes() {
        return at > 0 && "eE".indexOf(text.charAt(at - 1)) >= 0 && !partOfName(at - 2);
    }

    private boolean partOfName(int index) {
        return index >= 0 && (Character.isJavaIdentifierPart(text.charAt(index)));
    }

    /** A doubled quote is a part of it: one that ended it would begin a string without backslashes. */
    private void quoted(char quote, boolean escapes) {
        String doubled = String.valueOf(quote).repeat(2);
        at++;
        while (at < text.length() && (text.charAt(at) != quote || text.startsWith(doubled, at))) {
            boolean pair = text.charAt(at) == quote || escapes && text.charAt(at) == '\\';
            at += pair ? 2 : 1;
        }
        at++;
        words.append("''");
    }

    private void comment(int end) {
        at = end < 0 ? text.length() : end;
        words.append(' ');
    }

    /** Comments of this kind nest. */
    private int endOfComment() {
        int depth = 1;
        int end = at + 2;
        while (depth > 0 && end < text.length()) {
            if (text.startsWith("/*", end)) {
                depth++;
                end += 2;
            } else if (text.startsWith("*/", end)) {
                depth--;
                end += 2;
            } else {
                end++;
            }
        }
        return end;
    }

    /** The end of $tag$; 0 if it is none, a parameter for example. */
    private int endOfTag() {
        int end = at + 1;
        if (end < text.length() && Character.isDigit(text.charAt(end))) {
            return 0;
        }
        while (end < text.length() && text.charAt(end) != '$' && partOfName(end)) {
            end++;
        }
        return end < text.length() && text.charAt(end) == '$' ? end + 1 : 0;
    }

    private void body(String tag) {
        int begin = at + tag.length();
        int end = text.indexOf(tag, begin);
        if (end >= 0) {
            bodies.add(text.substring(begin, end));
        }
        at = end < 0 ? text.length() : end + tag.length();
        words.append("''");
    }
}
