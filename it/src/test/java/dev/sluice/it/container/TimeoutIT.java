package dev.sluice.it.container;

import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.api.NewJob;
import java.util.List;
import java.util.stream.IntStream;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("Handlers and the time of their transaction, two seconds")
class TimeoutIT {

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(TimeoutIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName(
            "One that ends in time commits, one that does not is counted and leaves nothing, one at the limit does either")
    void belowAtAndAbove() throws Exception {
        List<Long> ids = Inside.jobs()
                .enqueue(IntStream.of(500, 2_000, 4_000)
                        .mapToObj(millis -> NewJob.of("timed", "work", millis))
                        .toList());

        Inside.awaitEnd(ids);

        assertEquals("1", WORK.query("select string_agg(attempt::text, ' ') from note where job = ?", ids.get(0)));
        assertEquals(
                1,
                WORK.number(
                        "select (select count(*) from note where job = ?)"
                                + " + (select count(*) from sluice.dead_letter where id = ? and attempt = 2)",
                        ids.get(1),
                        ids.get(1)),
                "done, or dead, and not both");
        assertEquals("0", WORK.query("select count(*) from note where job = ?", ids.get(2)));
        assertEquals("2", WORK.query("select attempt from sluice.dead_letter where id = ?", ids.get(2)));
    }

    @Test
    @DisplayName("One that hangs is moved on while it still hangs, and its late end commits nothing")
    void hangs() throws Exception {
        long id = Inside.jobs().enqueue(NewJob.of("timed", "hang", null));

        Inside.awaitEnd(id);

        assertEquals("2", WORK.query("select string_agg(attempt::text, ' ') from note where job = ?", id));
        assertEquals(1, Inside.operations().status().stuck());
        WORK.await("0", "select count(*) from sluice.claim");
        for (int second = 0; second < 60 && Inside.operations().status().stuck() > 0; second++) {
            WORK.execute("select pg_sleep(1)");
        }
        assertEquals(0, Inside.operations().status().stuck(), "its thread has ended");
        assertEquals("2", WORK.query("select string_agg(attempt::text, ' ') from note where job = ?", id));
    }

    @Test
    @DisplayName("What one handler's transaction may last, and its class loader, is not left to the next on its thread")
    void threads() throws Exception {
        List<Long> timed = Inside.jobs()
                .enqueue(IntStream.range(0, 40)
                        .mapToObj(i -> NewJob.of("timed", "work", i % 4 == 0 ? 2_500 : 10))
                        .toList());
        List<Long> untimed = Inside.jobs()
                .enqueue(IntStream.range(0, 40)
                        .mapToObj(i -> NewJob.of("untimed", "work", null))
                        .toList());

        Inside.awaitEnd(timed);
        Inside.awaitEnd(untimed);

        assertEquals(30, WORK.number("select count(*) from note where job = any(?)", timed));
        assertEquals(
                40,
                WORK.number("select count(*) from note where job = any(?) and text = 'own loader'", untimed),
                "none was cut short");
        assertEquals(10, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", timed));
    }
}
