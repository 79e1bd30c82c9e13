package dev.sluice.engine.xa;

import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** What holds for every XAResource of PostgreSQL, whatever it has to do with branches of its own. */
abstract class PostgresXAResource implements XAResource {

    private final PreparedBranches prepared;

    PostgresXAResource(PreparedBranches prepared) {
        this.prepared = prepared;
    }

    PreparedBranches prepared() {
        return prepared;
    }

    @Override
    public final Xid[] recover(int flags) throws XAException {
        return (flags & TMSTARTRSCAN) == 0 ? new Xid[0] : prepared.list();
    }

    /** Precondition: a person decided the branch. */
    @Override
    public final void forget(Xid xid) throws XAException {
        prepared.forget(Gid.of(xid));
    }

    /** Two branches are two transactions, even of one database: PostgreSQL cannot join them. */
    @Override
    public final boolean isSameRM(XAResource other) {
        return other == this;
    }
}
