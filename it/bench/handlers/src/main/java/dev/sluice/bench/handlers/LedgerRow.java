package dev.sluice.bench.handlers;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the ledger. The number is its id for Jakarta Persistence only: the table has no key. */
@Entity
@Table(schema = "bench", name = "ledger")
public class LedgerRow {

    @Id
    private long number;

    private String queue;

    /** For Jakarta Persistence. */
    protected LedgerRow() {}

    LedgerRow(String queue, NumberedJob job) {
        this.number = job.number();
        this.queue = queue;
    }
}
