package dev.sluice.bench.commit;

import dev.sluice.bench.site.Database;
import java.util.Locale;

/** The handlers of the bench's application; each has a queue of its own, of the same name. */
enum Handler {
    /** Writes nothing. */
    NOOP(null),

    /** Writes by JDBC through sluice/ds. */
    SHARED(Database.QUEUE),

    /** Writes by Jakarta Persistence through sluice/ds. */
    JPA(Database.QUEUE),

    /** Writes by JDBC through another XA data source. */
    TWOPHASE(Database.APART);

    private final String ledger;

    Handler(String ledger) {
        this.ledger = ledger;
    }

    /** The name of its queue. */
    String queue() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The database with its ledger; null if it writes none. */
    String ledger() {
        return ledger;
    }
}
