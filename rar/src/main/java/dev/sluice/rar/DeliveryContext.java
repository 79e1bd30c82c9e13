package dev.sluice.rar;

import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Ties a delivery to the container's transaction of its handler, so that {@code sluice/ds} finds the delivery's
 * connection in that transaction, and in no other, whatever thread or handle asks.
 */
public record DeliveryContext(TransactionSynchronizationRegistry transactions) {

    /** The class, not its name: another application on this server may have an adapter of its own. */
    private static final Object KEY = DeliveryContext.class;

    /** Says that the transaction of this thread is this one. */
    void put(HandlerTransaction transaction) {
        transactions.putResource(KEY, transaction);
    }

    /** The handler's transaction that this thread is in; null if it is in none, or in another. */
    public HandlerTransaction current() {
        return transaction() == null ? null : (HandlerTransaction) transactions.getResource(KEY);
    }

    /** What the container tells the transaction of this thread by; null outside a container transaction. */
    public Object transaction() {
        return transactions.getTransactionKey();
    }
}
