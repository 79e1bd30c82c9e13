package dev.sluice.it.app;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the ledger, for handlers that use Jakarta Persistence. */
@Entity
@Table(name = "ledger")
public class LedgerRow {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long id;

    @Column
    private long job;

    @Column
    private int attempt;

    protected LedgerRow() {}

    LedgerRow(long job, int attempt) {
        this.job = job;
        this.attempt = attempt;
    }
}
