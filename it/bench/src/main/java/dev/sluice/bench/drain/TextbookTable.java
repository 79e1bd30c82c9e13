package dev.sluice.bench.drain;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The table of jobs that is in every textbook: the key is the order, and one statement deletes the first few. */
final class TextbookTable implements BareTable {

    private static final String CREATE = """
            /* bench:create textbook */
            create table bench.textbook (like sluice.job_1 including defaults, primary key (id))""";

    private static final String ENQUEUE = """
            /* bench:enqueue textbook */
            insert into bench.textbook (queue, priority, id, kind, payload)
            select ?, 2, nextval('sluice.job_id'), 'enter', one::json from unnest(?::text[]) one""";

    /** With the limit in the text: as a parameter the planner would take it for a tenth of the table. */
    private static final String CLAIM = """
            /* bench:textbook */
            delete from bench.textbook where id in (
              select id from bench.textbook order by id limit %d for update skip locked)
            returning priority, pos, id, kind, payload, attempt, alone, enqueued_at""";

    @Override
    public String name() {
        return "bench.textbook";
    }

    @Override
    public String create() {
        return CREATE;
    }

    @Override
    public String enqueue() {
        return ENQUEUE;
    }

    @Override
    public BareClaim claimOn(Connection connection, int batch) throws SQLException {
        PreparedStatement claim = connection.prepareStatement(CLAIM.formatted(batch));
        return () -> BareClaim.read(claim).size();
    }
}
