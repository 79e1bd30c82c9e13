package dev.sluice.engine.xa;

import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.transaction.xa.Xid;

/**
 * An {@link Xid} as the name of a prepared transaction, in the format of pgjdbc:
 * {@code formatId_base64(gtrid)_base64(bqual)}, so that either can finish what the other prepared.
 */
public record Gid(int formatId, byte[] gtrid, byte[] bqual) implements Xid {

    public static Gid of(Xid xid) {
        return new Gid(xid.getFormatId(), xid.getGlobalTransactionId(), xid.getBranchQualifier());
    }

    /** Reads a name; empty if it is not in this format and so was given by somebody else. */
    public static Optional<Gid> parse(String text) {
        String[] parts = text.split("_", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            Gid gid = new Gid(
                    Integer.parseInt(parts[0]),
                    Base64.getDecoder().decode(parts[1]),
                    Base64.getDecoder().decode(parts[2]));
            // it is finished under the name that we give it
            return gid.toString().equals(text) ? Optional.of(gid) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public int getFormatId() {
        return formatId;
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return gtrid.clone();
    }

    @Override
    public byte[] getBranchQualifier() {
        return bqual.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid
                && formatId == gid.formatId
                && Arrays.equals(gtrid, gid.gtrid)
                && Arrays.equals(bqual, gid.bqual);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * formatId + Arrays.hashCode(gtrid)) + Arrays.hashCode(bqual);
    }

    /** The name; at most 200 bytes are allowed, and the largest Xid needs 187. Base64 has no quote to escape. */
    @Override
    public String toString() {
        return formatId + "_" + Base64.getEncoder().encodeToString(gtrid) + "_"
                + Base64.getEncoder().encodeToString(bqual);
    }
}
