package dev.sluice.rar;

import dev.sluice.engine.delivery.Delivery;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * The container's transaction of a handler. It takes part in it as the delivery does, and sees that what the handler has of
 * the delivery's connection ends before that connection is for others.
 */
public final class HandlerTransaction implements XAResource {

    private final Delivery delivery;
    private final XAResource resource;
    private final Set<Runnable> endings = new LinkedHashSet<>();

    HandlerTransaction(Delivery delivery) {
        this.delivery = delivery;
        this.resource = delivery.resource();
    }

    /** What the handler was called for. */
    public Delivery delivery() {
        return delivery;
    }

    /**
     * Runs this once when the work in this transaction ends, whichever way, before it is committed or rolled back. It does
     * not throw; the same one twice is run once.
     */
    public synchronized void atEnd(Runnable ending) {
        endings.add(ending);
    }

    private synchronized void ended() {
        endings.forEach(Runnable::run);
        endings.clear();
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        resource.start(xid, flags);
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        ended();
        resource.end(xid, flags);
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        return resource.prepare(xid);
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        resource.commit(xid, onePhase);
    }

    /** Also of work that was not ended before, after a timeout. */
    @Override
    public void rollback(Xid xid) throws XAException {
        ended();
        resource.rollback(xid);
    }

    @Override
    public void forget(Xid xid) throws XAException {
        resource.forget(xid);
    }

    @Override
    public Xid[] recover(int flags) throws XAException {
        return resource.recover(flags);
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() throws XAException {
        return resource.getTransactionTimeout();
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        return resource.setTransactionTimeout(seconds);
    }
}
