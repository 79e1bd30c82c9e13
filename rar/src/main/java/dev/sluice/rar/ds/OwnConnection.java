package dev.sluice.rar.ds;

import dev.sluice.engine.database.Database;
import dev.sluice.engine.xa.Branch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The physical connection that a managed connection has of its own, for use outside deliveries: opened when it is first
 * needed, tried before it is used after it idled, and in one transaction at a time, the container's or the application's.
 */
final class OwnConnection implements Branch {

    /** Idle for longer than this, it may be one of a server that is gone. */
    private static final Duration TRUSTED = Duration.ofSeconds(1);

    private static final int VALIDATION_SECONDS = 5;

    private final Database database;
    private final Outages outages;
    private final Consumer<SQLException> broken;
    private final LongSupplier nanos;
    private Connection connection;
    private long usedAt;
    /** Key of the container's transaction that work was begun in; null if none was. */
    private Object transaction;
    /** The application began a transaction and has not ended it. */
    private boolean local;

    private boolean sessionChanged;
    /** It broke in the container's transaction, or was closed in it. */
    private boolean lost;

    /**
     * @param broken told when it breaks at the end of its transaction
     * @param nanos  the clock, {@link System#nanoTime}
     */
    OwnConnection(Database database, Outages outages, Consumer<SQLException> broken, LongSupplier nanos) {
        this.database = database;
        this.outages = outages;
        this.broken = broken;
        this.nanos = nanos;
    }

    /** Key of the container's transaction that work was begun in; null if none was. */
    Object transaction() {
        return transaction;
    }

    boolean inLocalTransaction() {
        return local;
    }

    boolean autoCommit() throws SQLException {
        return connection == null || connection.getAutoCommit();
    }

    /**
     * The connection, outside a container transaction.
     *
     * @param held whether statements are open on it: then it cannot be another
     */
    Connection use(boolean held) throws SQLException {
        if (connection != null && !held && connection.getAutoCommit() && !answers()) {
            outages.happened();
            discard();
        }
        if (connection == null) {
            connection = database.open("application");
        }
        usedAt = nanos.getAsLong();
        return connection;
    }

    private boolean answers() throws SQLException {
        if (outages.since(usedAt)) {
            return false;
        }
        return nanos.getAsLong() - usedAt < TRUSTED.toNanos() || connection.isValid(VALIDATION_SECONDS);
    }

    /** The connection in this transaction of the container, which begins on it if it has not. */
    Connection use(Object key, boolean held) throws SQLException {
        if (transaction == null) {
            if (!autoCommit()) {
                throw new SQLException(
                        "This connection of sluice/ds is in a transaction of its own, begun by setAutoCommit(false). Commit"
                                + " or roll back and set auto-commit before a container transaction begins",
                        "25000");
            }
            use(held).setAutoCommit(false);
            transaction = key;
        }
        return connection;
    }

    /** The application turns autocommit off or on, outside a container transaction. */
    void autoCommit(boolean wanted) throws SQLException {
        connection.setAutoCommit(wanted);
        local = !wanted;
    }

    void commit() throws SQLException {
        if (!autoCommit()) {
            connection.commit();
            autoCommit(true);
        }
    }

    /** What is open ends. One that cannot even roll back is of no use: the server rolls back when it is closed. */
    void rollBack() {
        try {
            if (!autoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            discard();
        }
        local = false;
    }

    /** The application is about to change the session. */
    void sessionChanges() {
        sessionChanged = true;
    }

    /** It is for another user now, who is not to find anything of this one. */
    void reset() {
        rollBack();
        if (sessionChanged) {
            discard();
        }
    }

    /** It broke: the next use opens a new one, once this transaction is over. */
    void broke() {
        outages.happened();
        if (!local) {
            discard();
        }
    }

    void discard() {
        sessionChanged = false;
        Connection old = connection;
        if (transaction == null) {
            connection = null;
        } else {
            // a closed one, so that nothing is begun anew in a transaction of which a part is lost
            lost = true;
        }
        if (old != null) {
            try {
                old.close();
            } catch (SQLException e) {
                // it is of no use to anybody any more
            }
        }
    }

    @Override
    public Connection open() {
        return transaction == null ? null : connection;
    }

    /** That nothing of it is left is certain here, and no longer when a commit has been tried. */
    @Override
    public void beforeCompletion() throws RefusedException {
        if (lost) {
            throw new RefusedException("its connection broke in the transaction, and the work before that is lost");
        }
    }

    @Override
    public Boolean decide() {
        return null;
    }

    @Override
    public void completed(Outcome outcome, boolean usable) {
        transaction = null;
        usedAt = nanos.getAsLong();
        if (lost || !usable) {
            lost = false;
            discard();
            broken.accept(new SQLException("the connection broke at the end of its transaction", "08006"));
        }
    }
}
