package dev.sluice.engine.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.queue.RetryPolicy;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class IdleTest {

    private static final String CALLS =
            "select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid"
                    + " where d.datname = current_database() and query not like '%pg_stat_statements%'";

    private QueueFixture fixture;

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("create extension pg_stat_statements");
        fixture.execute("select sluice.define_queue('work')");
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private double second() throws Exception {
        return Double.parseDouble(
                fixture.query("select extract(epoch from clock_timestamp()) /* pg_stat_statements */"));
    }

    private long statements() throws Exception {
        return Long.parseLong(fixture.query(CALLS));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "An idle node with the default settings sends at most two statements a second, and none of them is a claim")
    void quiet(ClaimMode mode) throws Exception {
        fixture.mode = mode;
        var engine = fixture.engine(Map.of(
                Setting.POLL_INTERVAL,
                Setting.POLL_INTERVAL.defaultValue(),
                Setting.NODE_TIMEOUT,
                Setting.NODE_TIMEOUT.defaultValue()));
        fixture.subscribe(engine, "work", Set.of("entry"), new RetryPolicy(null, null, null), delivery -> {});
        // statements by their text: PostgreSQL 15 keeps the comment at their head, 18 does not
        String claims = CALLS + " and (query like '%with finished%' or query like '%take_%')";
        String sweeps = CALLS + " and query like '%sweep(%'";
        // claims that find nothing come ever later, until only the sweep looks
        fixture.await("t", "select (" + claims + ") >= 8 and (" + sweeps + ") > 3");

        double begun = second();
        long before = statements();
        String claimed = fixture.query(claims);
        fixture.await("t", "select clock_timestamp() > to_timestamp(" + (begun + 4) + ") /* pg_stat_statements */");
        double rate = (statements() - before) / (second() - begun);

        // the bounds of the interval may take in one beat, rescue and sweep more
        assertTrue(rate <= 2 + 3 / 4.0, rate + " statements a second");
        assertEquals(claimed, fixture.query(claims), "claims without a job");
    }
}
