package dev.sluice.bench.engine;

import dev.sluice.engine.delivery.Delivery;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A transaction with one resource, so it is committed in one phase, as a container does. */
final class LocalTransaction {

    /** Never prepared, so its name need not be another than that of others. */
    private enum Name implements Xid {
        ONLY;

        @Override
        public int getFormatId() {
            return 0x6265;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {1};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }

    private LocalTransaction() {}

    /** Does the work; the jobs are gone with it, or it fails as a whole and the delivery knows. */
    static void run(Delivery delivery, Work work) {
        XAResource resource = delivery.resource();
        try {
            resource.start(Name.ONLY, XAResource.TMNOFLAGS);
            try {
                work.handle(delivery);
            } catch (Exception e) {
                delivery.fail(e);
                resource.end(Name.ONLY, XAResource.TMFAIL);
                resource.rollback(Name.ONLY);
                return;
            }
            resource.end(Name.ONLY, XAResource.TMSUCCESS);
            resource.commit(Name.ONLY, true);
        } catch (XAException e) {
            delivery.fail(e);
        }
    }
}
