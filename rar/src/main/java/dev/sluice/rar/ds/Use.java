package dev.sluice.rar.ds;

import jakarta.resource.spi.ConnectionRequestInfo;

/**
 * What a connection of the pool is for. The two are pooled apart: those that deliveries use have no physical connection,
 * and must not take the place of those that have one.
 */
enum Use implements ConnectionRequestInfo {
    /** In a handler's transaction, on the connection of its delivery. */
    DELIVERY,
    /** Everywhere else, on a physical connection of its own. */
    OWN;

    /** @param request of the container; of a foreign one it is not known, and a connection of its own is right anywhere */
    static Use of(ConnectionRequestInfo request) {
        return request instanceof Use use ? use : OWN;
    }
}
