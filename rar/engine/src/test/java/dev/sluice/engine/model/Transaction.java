package dev.sluice.engine.model;

import java.sql.Connection;
import java.sql.SQLException;

/** A transaction that stays open over several steps, and may be prepared. */
abstract class Transaction {

    private final World world;
    private final Session session;
    private String gid;
    private boolean busy;

    Transaction(World world, Session session) throws SQLException {
        this.world = world;
        this.session = session;
        session.begin();
        world.opened(this);
    }

    World world() {
        return world;
    }

    Connection connection() {
        return session.connection();
    }

    boolean prepared() {
        return gid != null;
    }

    /** Whether it is to be left alone by those who end what is open. */
    boolean staysOpen() {
        return false;
    }

    /** Whether a statement of it is stopped half way. */
    boolean busy() {
        return busy;
    }

    void busy(boolean now) {
        busy = now;
    }

    Session session() {
        return session;
    }

    /** What became of it. */
    abstract void ended(boolean committed) throws SQLException;

    /** Returns whether it was committed. */
    final boolean commit() throws SQLException {
        boolean committed = Attempt.at(() -> {
            if (gid == null) {
                session.commit();
            } else {
                world.execute("commit prepared '" + gid + "'");
            }
        });
        if (!committed) {
            session.rollback();
        }
        close(committed);
        return committed;
    }

    final void rollback() throws SQLException {
        if (gid == null) {
            session.rollback();
        } else {
            world.execute("rollback prepared '" + gid + "'");
        }
        close(false);
    }

    /** Returns whether it is prepared now; otherwise it was rolled back. */
    final boolean prepare() throws SQLException {
        String name = world.newGid();
        if (!Attempt.at(() -> session.prepare(name))) {
            rollback();
            return false;
        }
        gid = name;
        world.giveBack(session);
        return true;
    }

    /** Its client is gone. */
    final void breakOff() throws SQLException {
        world.breakOff(session);
        close(false);
    }

    /** Its server is gone. */
    final void lost() throws SQLException {
        close(false);
    }

    private void close(boolean committed) throws SQLException {
        world.ended(this);
        if (gid == null) {
            world.giveBack(session);
        }
        ended(committed);
    }

    /** Does something in this transaction. If that cannot be done now, it is rolled back, and this is false. */
    final boolean attempt(Attempt.Action action) throws SQLException {
        if (Attempt.at(action)) {
            return true;
        }
        rollback();
        return false;
    }
}
