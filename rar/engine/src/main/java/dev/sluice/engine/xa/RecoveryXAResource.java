package dev.sluice.engine.xa;

import dev.sluice.engine.database.Database;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/**
 * Finishes branches that a server prepared before it went down. Opens a connection for each call and closes it, since
 * transaction managers do not close the resources they recover with. Takes no part in transactions of its own.
 */
public final class RecoveryXAResource extends PostgresXAResource {

    /** Names the database. */
    public interface DatabaseSource {

        /** @throws SQLException if none is configured yet */
        Database get() throws SQLException;
    }

    /** @param database asked for at each call, since recovery may begin before the adapter is configured */
    public RecoveryXAResource(DatabaseSource database) {
        super(new PreparedBranches(database, "recovery"));
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        if (onePhase) {
            throw unsupported("one-phase commit", xid);
        }
        prepared().commit(Gid.of(xid), null);
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        prepared().rollback(Gid.of(xid), null);
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        throw unsupported("start", xid);
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        throw unsupported("end", xid);
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        throw unsupported("prepare", xid);
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    private static XAException unsupported(String doing, Xid xid) {
        return XAErrors.error(XAException.XAER_PROTO, doing + " on a resource for recovery", Gid.of(xid), null);
    }
}
