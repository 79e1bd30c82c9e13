package dev.sluice.engine.database;

import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Says what a person can do about an error of the database. See PostgreSQL, appendix A, for the codes. */
public final class Remedy {

    private Remedy() {}

    /** The error's message with its hint and, where one is known, the remedy. */
    public static String explain(SQLException error) {
        StringBuilder text = new StringBuilder(error.getMessage() == null ? error.toString() : firstLine(error));
        String remedy = remedy(error);
        if (remedy != null) {
            text.append(". ").append(remedy);
        }
        return text.toString();
    }

    /** Whether the connection, not the statement, is at fault: a new one may do better. */
    public static boolean connectionLost(SQLException error) {
        String state = error.getSQLState();
        return state != null
                && (state.startsWith("08")
                        // ended by an administrator, in a crash, starting up
                        || state.startsWith("57P0")
                        // idle or transaction timeout of the session
                        || state.equals("25P03")
                        || state.equals("25P04")
                        // a server that was demoted: its connections stay open
                        || state.equals("25006"));
    }

    /** Whether the same statement may well succeed when it is tried again. */
    public static boolean passing(SQLException error) {
        String state = error.getSQLState();
        return connectionLost(error)
                || (state != null && (state.startsWith("40") || state.equals("55P03") || state.equals("57014")));
    }

    private static String firstLine(SQLException error) {
        if (error instanceof PSQLException postgres && postgres.getServerErrorMessage() != null) {
            ServerErrorMessage message = postgres.getServerErrorMessage();
            return message.getMessage()
                    + (message.getDetail() == null ? "" : " (" + message.getDetail() + ")")
                    + (message.getHint() == null ? "" : ". " + message.getHint());
        }
        return error.getMessage();
    }

    private static String remedy(SQLException error) {
        String state = error.getSQLState();
        if (state == null) {
            return null;
        }
        return switch (state) {
            case "08001", "08004", "08006" ->
                "Check that PostgreSQL runs there and that the setting " + Setting.URL + " names it";
            case "28P01", "28000" ->
                "Check the settings " + Setting.USER + " and " + Setting.PASSWORD + " and pg_hba.conf";
            case "3D000" -> "Create the database, or name another in the setting " + Setting.URL;
            case "3F000", "42P01", "42883" ->
                "The schema is not there or not up to date: start a node with " + Setting.MIGRATE
                        + " true, or correct the setting " + Setting.SCHEMA;
            case "42501" -> "Grant the right to this role: server-config/roles.sql lists what is needed";
            case "25006" -> "The server takes no writes: it is a standby, or default_transaction_read_only is on";
            case "53300" -> "Raise max_connections, or lower the concurrency of the handlers";
            case "55000" ->
                error.getMessage().contains("prepared transactions")
                        ? "Set max_prepared_transactions to the number of handlers that may run at once, and restart PostgreSQL"
                        : null;
            default -> null;
        };
    }
}
