package dev.sluice.it.container.app;

/** How it is told whether a job was found by the sweep, which is all that looks for jobs once a queue is idle. */
public final class Sweeps {

    /** Query for the number of sweeps so far. The comment that names a statement is not in pg_stat_statements. */
    public static final String COUNT =
            "select coalesce(sum(calls), 0)::bigint from pg_stat_statements where query like '%.sweep(%'";

    private Sweeps() {}
}
