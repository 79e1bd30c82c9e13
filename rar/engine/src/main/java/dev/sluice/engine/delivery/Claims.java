package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import java.sql.SQLException;

/** Brings jobs to the handlers of a subscription. One for each {@link ClaimMode}. */
interface Claims {

    /** Claims, or has a worker claim, what the subscription has room for now. */
    void serve(Subscription subscription, Claim claim, Workplace workplace) throws SQLException;
}
