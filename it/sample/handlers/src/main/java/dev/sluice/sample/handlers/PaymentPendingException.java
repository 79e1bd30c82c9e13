package dev.sluice.sample.handlers;

import jakarta.ejb.ApplicationException;

/**
 * An order that cannot be paid yet. An application exception rolls back only if it says so, as this one does; unlike a
 * runtime exception it leaves the bean's instance usable and the server's log quiet.
 */
@ApplicationException(rollback = true)
public class PaymentPendingException extends Exception {

    private static final long serialVersionUID = 1L;

    public PaymentPendingException(String message) {
        super(message);
    }
}
