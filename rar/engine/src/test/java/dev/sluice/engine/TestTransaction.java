package dev.sluice.engine;

import dev.sluice.engine.delivery.Delivery;
import dev.sluice.engine.xa.Gid;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** What a transaction manager does with one resource. */
public final class TestTransaction {

    private static final AtomicLong NUMBER = new AtomicLong(System.nanoTime());

    private TestTransaction() {}

    /** A name that no other transaction has. */
    public static Gid newXid() {
        return new Gid(
                7, ByteBuffer.allocate(8).putLong(NUMBER.incrementAndGet()).array(), new byte[] {1});
    }

    /** Runs a handler in a transaction that commits in one phase unless it throws. */
    public static void run(Delivery delivery, QueueFixture.Handler handler) {
        XAResource resource = delivery.resource();
        Xid xid = newXid();
        try {
            resource.start(xid, XAResource.TMNOFLAGS);
            try {
                handler.run(delivery);
            } catch (Exception e) {
                delivery.fail(e);
            }
            resource.end(xid, XAResource.TMSUCCESS);
            resource.commit(xid, true);
        } catch (XAException e) {
            delivery.fail(e);
        }
    }
}
