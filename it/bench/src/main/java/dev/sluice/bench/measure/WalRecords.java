package dev.sluice.bench.measure;

/**
 * Records of the write-ahead log that end transactions, of all databases of the server.
 *
 * @param commits  of transactions that were not prepared
 * @param prepares of PREPARE TRANSACTION
 * @param commitsOfPrepared of COMMIT PREPARED
 */
public record WalRecords(long commits, long prepares, long commitsOfPrepared) {

    /** None. */
    public static final WalRecords NONE = new WalRecords(0, 0, 0);

    public WalRecords plus(WalRecords more) {
        return new WalRecords(
                commits + more.commits, prepares + more.prepares, commitsOfPrepared + more.commitsOfPrepared);
    }
}
