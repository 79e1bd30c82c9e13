package dev.sluice.rar.ds;

import dev.sluice.engine.delivery.Delivery;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;

/**
 * What {@code sluice/ds} refuses, why, and what to do instead; docs/data-sources.md has the same list. The state of an
 * error is 25000 where a transaction is in the way, and 0A000 where it is never to be had.
 */
enum Refusal {
    COMMIT("commit()", Scope.TRANSACTION, Reason.ENDS, Remedy.ROLL_BACK),
    ROLLBACK("rollback()", Scope.TRANSACTION, Reason.ENDS, Remedy.ROLL_BACK),
    AUTO_COMMIT("setAutoCommit(true)", Scope.TRANSACTION, Reason.ENDS, Remedy.ROLL_BACK),
    ENDING_STATEMENT(
            "a statement like commit, rollback or prepare transaction",
            Scope.TRANSACTION,
            Reason.ENDS,
            Remedy.ROLL_BACK),
    READ_ONLY(
            "setReadOnly(true)",
            Scope.ALWAYS,
            Reason.OUTLIVES,
            "Execute \"set transaction read only\" first in the transaction, though not in a job's, in which the job goes"),
    ISOLATION(
            "setTransactionIsolation",
            Scope.ALWAYS,
            "sluice/ds works in READ COMMITTED",
            "Execute \"set transaction isolation level ...\" first in the transaction"),
    SCHEMA(
            "setSchema",
            Scope.ALWAYS,
            Reason.OUTLIVES,
            "Name the schema in the statements, or execute \"set local search_path\""),
    HOLDABILITY(
            "setHoldability",
            Scope.ALWAYS,
            Reason.OUTLIVES,
            "Give the holdability to createStatement or prepareStatement"),
    NETWORK_TIMEOUT("setNetworkTimeout", Scope.ALWAYS, Reason.OUTLIVES, "Use Statement.setQueryTimeout"),
    TYPE_MAP("setTypeMap", Scope.ALWAYS, Reason.OUTLIVES, "Give the map to ResultSet.getObject"),
    CLIENT_INFO(
            "setClientInfo",
            Scope.ALWAYS,
            "the adapter says by it what its connections are for",
            "Say who asks in a comment of the statement"),
    ABORT("abort", Scope.ALWAYS, "it would break whatever else works on this connection", "Use Statement.cancel"),
    SHARDING_KEY("a sharding key", Scope.ALWAYS, "there is one database", "Use getConnection()"),
    UNWRAP(
            "unwrap",
            Scope.ALWAYS,
            "what the driver gives could end the transaction unseen",
            "Use what java.sql has; for COPY, LISTEN and the driver's own interfaces use a data source of your own"),
    USER(
            "getConnection(user, password)",
            Scope.ALWAYS,
            "all connections are of the adapter's role",
            "Use getConnection()");

    /** Where it is refused. */
    enum Scope {
        TRANSACTION("in a container transaction"),
        ALWAYS("always");

        private final String where;

        Scope(String where) {
            this.where = where;
        }

        String where() {
            return where;
        }
    }

    private static final class Reason {
        static final String ENDS = "the container ends it";
        static final String OUTLIVES = "it would outlive this use of the connection";
    }

    private static final class Remedy {
        static final String ROLL_BACK = "Throw an exception, or call setRollbackOnly, to roll back";
    }

    private final String what;
    private final Scope scope;
    private final String reason;
    private final String remedy;

    Refusal(String what, Scope scope, String reason, String remedy) {
        this.what = what;
        this.scope = scope;
        this.reason = reason;
        this.remedy = remedy;
    }

    String what() {
        return what;
    }

    Scope scope() {
        return scope;
    }

    String reason() {
        return reason;
    }

    String remedy() {
        return remedy;
    }

    /** The error of a method that is always refused. */
    SQLException error() {
        return error("");
    }

    /** @param asked what was asked for */
    SQLException error(Class<?> asked) {
        return error(" to " + asked.getName());
    }

    private SQLException error(String more) {
        return new SQLFeatureNotSupportedException(text(more + " is refused"), "0A000");
    }

    /**
     * The error of a method that is refused in a container transaction.
     *
     * @param delivery whose transaction it is; null if it is no handler's
     */
    SQLException in(Delivery delivery) {
        String transaction = delivery == null ? "a container transaction" : "the transaction of " + delivery;
        return new SQLException(text(" is refused in " + transaction), "25000");
    }

    private String text(String refused) {
        return what + refused + ": " + reason + ". " + remedy;
    }
}
