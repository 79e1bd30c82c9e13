package dev.sluice.rar;

import dev.sluice.engine.delivery.Delivery;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Ties a delivery to the container's transaction of its handler, so that {@code sluice/ds} finds the delivery's
 * connection in that transaction, and in no other, whatever thread or handle asks.
 */
public record DeliveryContext(TransactionSynchronizationRegistry transactions) {

    /** The class, not its name: another application on this server may have an adapter of its own. */
    private static final Object KEY = DeliveryContext.class;

    /** Ties the delivery to the transaction of this thread. */
    void put(Delivery delivery) {
        transactions.putResource(KEY, delivery);
    }

    /** The delivery whose transaction this thread is in; null if it is in none, or in another. */
    public Delivery current() {
        return transactions.getTransactionKey() == null ? null : (Delivery) transactions.getResource(KEY);
    }
}
