package dev.sluice.bench.drain;

import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.run.DishonestRunException;

/** Those who are at work on a backlog. */
interface Crew extends Workforce, AutoCloseable {

    @Override
    Progress progress();

    /** @throws DishonestRunException if something failed, so that the rate would be that of failures too */
    void requireUnharmed() throws DishonestRunException;

    /** Returns when nobody works any more. */
    @Override
    void close();
}
