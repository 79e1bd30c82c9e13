package dev.sluice.engine.queue;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/**
 * The kinds that a claim takes.
 *
 * @param only   these; empty for every kind
 * @param except but not these
 */
public record Kinds(Set<String> only, Set<String> except) {

    public static final Kinds EVERY = except(Set.of());

    /** Every kind but these. */
    public static Kinds except(Set<String> kinds) {
        return new Kinds(Set.of(), Set.copyOf(kinds));
    }

    /** These kinds. */
    public static Kinds only(Set<String> kinds) {
        return new Kinds(Set.copyOf(kinds), Set.of());
    }

    /** Null for every kind. */
    Array only(Connection connection) throws SQLException {
        return only.isEmpty() ? null : connection.createArrayOf("text", only.toArray());
    }

    Array except(Connection connection) throws SQLException {
        return connection.createArrayOf("text", except.toArray());
    }
}
