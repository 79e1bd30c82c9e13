package dev.sluice.bench.measure;

/** How the monitor looks at a queue: a query of catalogs for depth, dead tuples, bytes, permits and entries of the ledger. */
public final class Catalogs {

    /** Of the tables with the jobs; sessions report at different times, deletes perhaps before their inserts. */
    private static final String ROWS_OF_JOBS = """
            (select greatest(0, sum(n_tup_ins - n_tup_del))::bigint
             from pg_stat_user_tables where schemaname = '{schema}' and relname ~ '^job_[0-9]+$')""";

    /**
     * Each producer writes a business row beside its job, each handler an entry into the ledger. Unlike the counters of the
     * tables with the jobs these are true whatever a queue does with its rows: truncates, moves them, or rolls back.
     */
    private static final String BUSINESS_WITHOUT_ENTRY = """
            greatest(0, pg_stat_get_live_tuples('bench.business'::regclass)
              - pg_stat_get_live_tuples('bench.ledger'::regclass))""";

    private static final String PERMITS = "(select count(*) from sluice.permit where granted_at is not null)";

    private static final String LOOK = """
            /* bench:look */
            select
              {depth} as depth,
              coalesce(sum(pg_stat_get_dead_tuples(oid)
                + coalesce(pg_stat_get_dead_tuples(nullif(reltoastrelid, 0)), 0)), 0)::bigint as dead,
              coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes,
              {permits} as permits,
              pg_stat_get_live_tuples('bench.ledger'::regclass) as entries
            from pg_class where relnamespace = to_regnamespace('{schema}') and relkind in ('r', 'm')""";

    /** Of Sluice; the depth is that of its tables with the jobs. */
    public static final Catalogs OF_SLUICE = new Catalogs("sluice", ROWS_OF_JOBS, PERMITS);

    private final String look;

    private Catalogs(String schema, String depth, String permits) {
        look = LOOK.replace("{depth}", depth).replace("{permits}", permits).replace("{schema}", schema);
    }

    /**
     * Of any queue, where producers write business rows.
     *
     * @param schema with nothing but the queue's tables
     */
    public static Catalogs withBusiness(String schema) {
        return new Catalogs(schema, BUSINESS_WITHOUT_ENTRY, schema.equals("sluice") ? PERMITS : "0");
    }

    String look() {
        return look;
    }
}
