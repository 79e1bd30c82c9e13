package dev.sluice.sample.handlers;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the ledger. */
@Entity
@Table(schema = "shop", name = "ledger")
public class LedgerEntry {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long entry;

    @Column(name = "order_id")
    private long orderId;

    private String payment;

    private long cents;

    private int attempt;

    /** For Jakarta Persistence. */
    protected LedgerEntry() {}

    /** The entry of an order that this attempt got paid. */
    public LedgerEntry(Order order, int attempt) {
        this.orderId = order.id();
        this.payment = order.payment();
        this.cents = order.cents();
        this.attempt = attempt;
    }
}
