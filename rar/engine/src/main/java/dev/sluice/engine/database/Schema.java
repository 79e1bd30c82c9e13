package dev.sluice.engine.database;

import dev.sluice.api.SluiceException;
import java.nio.charset.StandardCharsets;

/**
 * The schema of the queue's tables. All statements name it, so that no {@code search_path} matters.
 *
 * @param name as in {@code pg_namespace}, not quoted
 */
public record Schema(String name) {

    /** @throws SluiceException if the name cannot be used */
    public Schema {
        if (name.isEmpty()
                || name.getBytes(StandardCharsets.UTF_8).length > 63
                || name.startsWith("pg_")
                || name.chars()
                        .anyMatch(c -> c == '"'
                                || c == '\''
                                || c == '$'
                                || c == '%'
                                || c == '\\'
                                || Character.isISOControl(c))) {
            throw new SluiceException(
                    "A schema cannot be named \"" + name
                            + "\": 1 to 63 bytes, not beginning with pg_, without quotes, $, %, backslash and control characters");
        }
    }

    /** The name as an identifier in SQL. */
    public String quoted() {
        return '"' + name + '"';
    }

    /** The statement with {@code {schema}} replaced by this schema. */
    public String sql(String statement) {
        return statement.replace("{schema}", quoted());
    }

    /** The statement for the tables of an epoch: also with {@code {epoch}} replaced. */
    public String sql(String statement, int epoch) {
        return sql(statement).replace("{epoch}", Integer.toString(epoch));
    }
}
