package dev.sluice.engine.delivery;

import dev.sluice.engine.xa.Branch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** The transaction of a delivery: its connection, what is done before it commits, and what became of it. */
final class DeliveryBranch implements Branch {

    private static final Logger LOG = System.getLogger(DeliveryBranch.class.getName());

    private final Delivery delivery;
    private final Workplace workplace;
    private volatile Connection connection;
    /** Null until the transaction has ended. */
    private volatile Outcome outcome;

    private volatile boolean changed;

    DeliveryBranch(Delivery delivery, Workplace workplace) {
        this.delivery = delivery;
        this.workplace = workplace;
    }

    /** What became of it; null as long as nobody has said. */
    Outcome outcome() {
        return outcome;
    }

    /** The session was changed, so the connection is not for others. */
    void sessionChanged() {
        changed = true;
    }

    /** The connection, with the transaction begun on it. */
    Connection begin() throws SQLException {
        if (connection == null) {
            connection = workplace.connections().borrow();
            connection.setAutoCommit(false);
        }
        return connection;
    }

    @Override
    public Connection open() {
        return connection;
    }

    /**
     * What is still open ends here. A connection that cannot even roll back is of no use.
     *
     * @param prepared whether the branch is prepared, and so not on the connection any more
     */
    void undo(boolean prepared) {
        if (connection == null) {
            return;
        }
        try {
            if (prepared) {
                workplace.connections().discard(connection);
            } else {
                connection.rollback();
                connection.setAutoCommit(true);
                giveBack(connection);
            }
            connection = null;
        } catch (SQLException e) {
            abandon();
        }
    }

    /** From another thread: the server ends the transaction when it sees the connection gone. */
    void abort() {
        Connection open = connection;
        if (open == null) {
            return;
        }
        // its own thread may get out of the statement and give the connection back before it is closed here
        changed = true;
        try {
            // a statement that runs would not notice
            open.unwrap(PGConnection.class).cancelQuery();
            open.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Was closed already", e);
        }
    }

    /** The connection is of no use any more. */
    void abandon() {
        if (connection != null) {
            workplace.connections().broke(connection);
            connection = null;
        }
    }

    private void giveBack(Connection used) {
        if (changed) {
            workplace.connections().discard(used);
        } else {
            workplace.connections().giveBack(used);
        }
    }

    @Override
    public void beforeCompletion() throws SQLException, RefusedException {
        Throwable failure = delivery.failure();
        if (failure != null) {
            throw new RefusedException("the handler failed: " + Failure.summary(failure));
        }
        if (delivery.leased() && !workplace.transitions().acknowledge(begin(), delivery.jobs())) {
            throw new RefusedException(
                    "the lease of " + delivery + " was lost: this node had been taken for dead, and another runs it");
        }
    }

    @Override
    public void refused(Exception reason) {
        delivery.fail(reason);
    }

    @Override
    public Boolean decide() {
        try {
            return workplace
                    .settlements()
                    .with(connection -> workplace.transitions().acknowledged(connection, delivery.job()));
        } catch (SQLException e) {
            return null;
        }
    }

    @Override
    public void completed(Outcome how, boolean usable) {
        outcome = how;
        Connection used = connection;
        connection = null;
        if (used == null) {
            return;
        }
        if (usable) {
            giveBack(used);
        } else {
            workplace.connections().broke(used);
        }
    }
}
