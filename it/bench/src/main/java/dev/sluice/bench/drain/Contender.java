package dev.sluice.bench.drain;

import dev.sluice.bench.option.ClaimMode;
import java.util.Locale;

/** Who empties backlogs. */
enum Contender {
    /** The engine, a handler of single jobs, leased. */
    LEASED_SINGLE(ClaimMode.LEASED, false),

    /** The engine, a handler of lists, leased. */
    LEASED_BATCH(ClaimMode.LEASED, true),

    /** The engine, a handler of single jobs, claimed in its transaction. */
    TRANSACTIONAL_SINGLE(ClaimMode.TRANSACTIONAL, false),

    /** The engine, a handler of lists, claimed in its transaction. */
    TRANSACTIONAL_BATCH(ClaimMode.TRANSACTIONAL, true),

    /** The SQL of our transactional claim without the engine. */
    BARE_OWN(null, true),

    /** The SQL of the textbook. */
    BARE_TEXTBOOK(null, true);

    private final ClaimMode mode;
    private final boolean lists;

    Contender(ClaimMode mode, boolean lists) {
        this.mode = mode;
        this.lists = lists;
    }

    /** How the engine claims; null without it. */
    ClaimMode mode() {
        return mode;
    }

    /** Whether a transaction is for several jobs. Those who are alike in this get backlogs of the same size. */
    boolean lists() {
        return lists;
    }

    /** The key of its rate, and the name of its queue. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
