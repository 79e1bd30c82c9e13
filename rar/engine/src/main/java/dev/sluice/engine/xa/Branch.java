package dev.sluice.engine.xa;

import java.sql.Connection;
import java.sql.SQLException;

/** The physical side of one transaction branch: whose connection it works on, and what is to be done at its ends. */
public interface Branch {

    /** The connection with a transaction of this branch open on it, or null as long as nothing was done in the branch. */
    Connection open();

    /** A last piece of work inside the branch, before it is prepared or committed in one phase. Throws to refuse. */
    void beforeCompletion() throws SQLException, RefusedException;

    /**
     * Decides a one-phase commit whose answer was lost.
     *
     * @return true if it was committed, false if not, null if it cannot be told
     */
    Boolean decide();

    /** The branch could not commit, for this reason; it is rolled back. Said before its end. */
    default void refused(Exception reason) {}

    /**
     * The branch has ended.
     *
     * @param outcome what became of it
     * @param usable  whether its connection can be used again
     */
    void completed(Outcome outcome, boolean usable);

    /** How a branch can end. */
    enum Outcome {
        COMMITTED,
        ROLLED_BACK,
        /** Nobody knows yet: the connection broke during the commit, or the branch is prepared and left to recovery. */
        UNKNOWN
    }

    /** The branch must not commit. */
    class RefusedException extends Exception {

        private static final long serialVersionUID = 1L;

        public RefusedException(String message) {
            super(message);
        }

        RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
