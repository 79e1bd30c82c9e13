package dev.sluice.engine.delivery;

import javax.transaction.xa.Xid;

/** Names a branch that is only ever committed in one phase, and so never outlives its connection. */
enum LocalXid implements Xid {
    ONE;

    @Override
    public int getFormatId() {
        return 0x736c;
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
