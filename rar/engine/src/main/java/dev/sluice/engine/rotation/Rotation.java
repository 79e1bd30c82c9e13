package dev.sluice.engine.rotation;

import dev.sluice.engine.database.Schema;
import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.EpochState.Family;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The statements of rotation. Each is a transaction of its own, and only one node at a time gets to do anything. Wants a
 * connection with a short {@code lock_timeout}: there is one lock, that of a TOAST table, which it has to wait for while it
 * holds another.
 */
public final class Rotation {

    /** The answer of {@link #empty} when rows are left. */
    static final String ROWS = "rows";

    /** How many rows a transaction moves that nobody waits for. */
    private static final int MOST_ROWS = 1_000;

    /** How many claims it moves: an acknowledgement waits for it. */
    private static final int MOST_CLAIMS = 20;

    private static final String ROTATE = """
            /* sluice:rotate */
            select {schema}.rotate(?, ?)
            """;

    private static final String EMPTY = """
            /* sluice:empty epoch */
            select {schema}.empty_epoch(?, ?)
            """;

    private static final String HOLDER = """
            /* sluice:lock holder */
            select {schema}.lock_holder({schema}.epoch_tables(?, ?))
            """;

    private static final String CARRY_OVER = """
            /* sluice:carry over */
            select {schema}.carry_over(?, ?, false)
            """;

    private static final String CARRY_OVER_ROLLED_BACK = """
            /* sluice:carry over rolled back */
            select {schema}.carry_over(?, ?, true)
            """;

    private static final String CARRY_OVER_LEASED = """
            /* sluice:carry over leased */
            select {schema}.carry_over_leased(?, ?)
            """;

    private static final String CARRY_OVER_SCHEDULED = """
            /* sluice:carry over scheduled */
            select {schema}.carry_over_scheduled(?, ?)
            """;

    private final Schema schema;

    public Rotation(Schema schema) {
        this.schema = schema;
    }

    /**
     * Opens the next epoch.
     *
     * @return the one that is current then, still the old one if no table is free; null if another node sees to it
     */
    Integer rotate(Connection connection, EpochState full) throws SQLException {
        return ask(connection, ROTATE, full, Integer.class);
    }

    /** Empties the tables of an epoch that was left. Null if it did; else {@link #ROWS}, or who is in the way. */
    String empty(Connection connection, EpochState left) throws SQLException {
        return ask(connection, EMPTY, left, String.class);
    }

    /** Who has held a lock on the tables of an epoch for the longest time; null if nobody does. */
    String holder(Connection connection, EpochState left) throws SQLException {
        return ask(connection, HOLDER, left, String.class);
    }

    private <T> T ask(Connection connection, String question, EpochState state, Class<T> answer) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(question))) {
            call.setString(1, state.family().label());
            call.setInt(2, state.epoch());
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getObject(1, answer);
            }
        }
    }

    /** Moves some rows to the current epoch; returns how many. */
    long carryOver(Connection connection, EpochState left) throws SQLException {
        return left.family() == Family.SCHEDULED
                ? move(connection, CARRY_OVER_SCHEDULED, left, MOST_ROWS)
                : move(connection, CARRY_OVER, left, MOST_ROWS)
                        + move(connection, CARRY_OVER_LEASED, left, MOST_CLAIMS);
    }

    /** Moves jobs whose transaction was rolled back without a word, to be run by themselves; returns how many. */
    long carryOverRolledBack(Connection connection, EpochState left) throws SQLException {
        return left.family() == Family.SCHEDULED ? 0 : move(connection, CARRY_OVER_ROLLED_BACK, left, MOST_ROWS);
    }

    private long move(Connection connection, String statement, EpochState left, int most) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(schema.sql(statement))) {
            call.setInt(1, left.epoch());
            call.setInt(2, most);
            try (ResultSet row = call.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
