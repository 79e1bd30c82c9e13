package dev.sluice.it.container;

import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.NewJob;
import dev.sluice.it.app.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@DisplayName("Handlers of several jobs, and of jobs as they are")
class BatchIT {

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(BatchIT.class);
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
    }

    @Test
    @DisplayName("A handler that takes a list is given several jobs at once, and each has its effect once")
    void together() throws Exception {
        List<Long> ids = Inside.enqueue(200, "batch", "digest");

        Inside.awaitEnd(ids);

        assertEquals(200, WORK.number("select count(*) from note where job = any(?)", ids));
        assertEquals(200, WORK.number("select count(distinct job) from note where job = any(?)", ids));
        assertTrue(
                WORK.number("select count(*) from note where job = any(?) and text <> '1 together'", ids) > 0,
                "none came together");
        assertEquals(0, WORK.number("select count(*) from note where job = any(?) and attempt > 1", ids));
    }

    @Test
    @DisplayName(
            "Of a batch with a bad job only that one fails, whether its handler throws or its payload does not map")
    void poison() throws Exception {
        List<NewJob> jobs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            jobs.add(
                    switch (i) {
                        case 3 -> NewJob.of("batch", "digest", new Entry(i, "poison"));
                        case 7 -> NewJob.of("batch", "digest", "no entry at all");
                        default -> NewJob.of("batch", "digest", new Entry(i, "good"));
                    });
        }
        List<Long> ids = Inside.jobs().enqueue(jobs);

        Inside.awaitEnd(ids);

        List<Long> bad = List.of(ids.get(3), ids.get(7));
        assertEquals(8, WORK.number("select count(*) from note where job = any(?) and attempt = 1", ids));
        assertEquals(8, WORK.number("select count(distinct job) from note where job = any(?)", ids));
        assertEquals(2, WORK.number("select count(*) from sluice.dead_letter where id = any(?) and attempt = 2", bad));
        assertTrue(WORK.query("select error from sluice.dead_letter where id = ?", ids.get(3))
                .contains("number 3 is poison"));
        assertTrue(WORK.query("select error from sluice.dead_letter where id = ?", ids.get(7))
                .contains("does not map"));
    }

    @Test
    @DisplayName("A raw listener is given every kind of its queue, with the payload's text")
    void raw() throws Exception {
        List<Long> ids = Inside.jobs()
                .enqueue(List.of(
                        NewJob.of("raw", "one", new Entry(1, "x")),
                        NewJob.of("raw", "another", null),
                        NewJob.of("raw", "bad", "fail")));

        Inside.awaitEnd(ids);

        assertEquals(
                "one {\"number\":1,\"text\":\"x\"}, another null",
                WORK.query("select string_agg(text, ', ' order by job) from note where job = any(?)", ids));
        assertTrue(WORK.query("select error from sluice.dead_letter where id = ?", ids.get(2))
                .contains("a checked exception at attempt 2"));
    }
}
