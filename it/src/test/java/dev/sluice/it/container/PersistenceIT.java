package dev.sluice.it.container;

import static dev.sluice.it.container.Inside.awaitEnd;
import static dev.sluice.it.container.Witness.WORK;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.NewJob;
import dev.sluice.it.app.Entry;
import dev.sluice.it.container.app.Item;
import jakarta.persistence.EntityManager;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
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
@DisplayName("With Jakarta Persistence over sluice/ds")
class PersistenceIT {

    private static final String INSERTS =
            "select coalesce(sum(%s), 0)::bigint from pg_stat_statements where query ilike 'insert into item %%'";

    @Deployment
    static EnterpriseArchive application() {
        return Deployments.with(Deployments.web(PersistenceIT.class)
                .addClass(ItemsServlet.class)
                .addAsResource("container/persistence.xml", "META-INF/persistence.xml"));
    }

    @BeforeEach
    void served() throws Exception {
        Inside.awaitQueues();
        WORK.execute("truncate item");
    }

    @Test
    @DisplayName("what a handler of several jobs persists is written in batches, each job once")
    void batches() throws Exception {
        long statements = WORK.number(INSERTS.formatted("calls"));
        long rows = WORK.number(INSERTS.formatted("rows"));

        List<Long> ids = Inside.enqueue(200, "entities", "persistAll");
        awaitEnd(ids);

        long written = WORK.number(INSERTS.formatted("rows")) - rows;
        long executed = WORK.number(INSERTS.formatted("calls")) - statements;
        assertAll(
                () -> assertEquals(200, WORK.number("select count(*) from item where id = any(?)", ids)),
                () -> assertEquals(200, written, "rows"),
                // the driver makes one statement of up to 128 rows of a batch
                () -> assertTrue(executed <= 100, executed + " statements"),
                () -> assertEquals(0, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", ids)));
    }

    @Test
    @DisplayName(
            "a batch in which one row is refused is rolled back whole, and the good jobs of it are done one by one")
    void batchFails() throws Exception {
        List<Long> ids = Inside.jobs()
                .enqueue(IntStream.range(0, 10)
                        // no text of PostgreSQL has a NUL
                        .mapToObj(i -> NewJob.of("entities", "persistAll", new Entry(i, i == 4 ? "\0" : "good")))
                        .toList());
        awaitEnd(ids);

        String error = WORK.query("select error from sluice.dead_letter where id = ?", ids.get(4));
        assertAll(
                () -> assertEquals(9, WORK.number("select count(*) from item where id = any(?)", ids)),
                () -> assertEquals(1, WORK.number("select count(*) from sluice.dead_letter where id = any(?)", ids)),
                () -> assertTrue(error != null && error.contains("0x00"), error));
    }

    @Test
    @DisplayName("a handler that another transaction overtakes fails, and succeeds when it is not overtaken again")
    void optimisticLock() throws Exception {
        put(-1);
        long id = Inside.jobs().enqueue("entities", "overtaken", -1L);
        awaitEnd(id);

        assertAll(
                () -> assertEquals("overtaken 3", WORK.query("select text || ' ' || version from item where id = -1")),
                () -> assertEquals(0, WORK.number("select count(*) from sluice.dead_letter where id = ?", id)));
    }

    @Test
    @DisplayName("a handler that is always overtaken becomes a dead letter that says so")
    void optimisticLockAlways() throws Exception {
        put(-1);
        long id = Inside.jobs().enqueue("entities", "alwaysOvertaken", -1L);
        awaitEnd(id);

        assertDead(id, "OptimisticLockException");
        assertEquals("old", WORK.query("select text from item where id = -1"));
    }

    @Test
    @DisplayName("a constraint that is violated at the flush makes a dead letter that names it")
    void constraint() throws Exception {
        put(-1);
        long id = Inside.jobs().enqueue("entities", "duplicate", -1L);
        awaitEnd(id);

        assertDead(id, "item_pkey");
        assertEquals("old", WORK.query("select text from item where id = -1"));
    }

    private static void assertDead(long id, String cause) throws SQLException {
        String error = WORK.query("select error from sluice.dead_letter where attempt = 2 and id = ?", id);
        assertTrue(error != null && error.contains(cause), error);
    }

    private static void put(long id) throws SQLException {
        WORK.execute("insert into item (id, text) values (?, 'old')", id);
    }

    @Test
    @DisplayName("a handler reads lazily, queries and flushes on the connection of its job, which JDBC shares")
    void reads() throws Exception {
        put(-1);
        WORK.execute("insert into item (id, text, parent_id) values (-2, 'part', -1), (-3, 'part', -1)");
        long id = Inside.jobs().enqueue("entities", "reads", -1L);
        awaitEnd(id);

        assertEquals("2 3 3", WORK.query("select string_agg(text, ', ') from note where job = ?", id));
    }

    @Test
    @DisplayName("outside jobs it works in user transactions, and reads without one")
    void userTransaction() throws Exception {
        EntityManager entities = Inside.lookup("java:comp/env/" + ItemsServlet.ENTITIES);
        UserTransaction transaction = Inside.transaction();
        transaction.begin();
        entities.persist(new Item(-10, "committed"));
        transaction.commit();
        transaction.begin();
        entities.persist(new Item(-11, "rolled back"));
        entities.flush();
        transaction.rollback();

        assertEquals("committed", WORK.query("select string_agg(text, ', ') from item"));
        assertEquals("committed", entities.find(Item.class, -10L).text());
        assertEquals(
                1L,
                entities.createQuery("select count(i) from Item i", Long.class).getSingleResult());
    }
}
