package dev.sluice.engine.admission;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.Admission;
import dev.sluice.api.Permit;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.database.Connections;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A budget of one permit, and the parts of nodes in its semaphore. */
abstract class PermitTestCase {

    static final Duration LONG = Duration.ofSeconds(30);
    static final Duration SHORT = Duration.ofMillis(300);

    QueueFixture fixture;
    final List<Connections> pools = new ArrayList<>();
    final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        fixture.execute("select sluice.define_budget('reports', 1)");
    }

    @AfterEach
    void tearDown() throws Exception {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
        pools.forEach(Connections::close);
        fixture.close();
    }

    /** The part of a node in the semaphore. */
    PermitQueue permits(TestNode node) {
        Connections pool = new Connections(fixture.database(), () -> "admission", "");
        pools.add(pool);
        return new PermitQueue(pool, fixture.schema(), node::id, () -> true);
    }

    PermitQueue permits() throws SQLException {
        return permits(fixture.node());
    }

    Future<Permit> acquireLater(Admission admission, String holder) {
        return threads.submit(() -> admission.acquire("reports", holder, LONG));
    }

    void awaitRequests(int count) throws Exception {
        fixture.await(String.valueOf(count), "select count(*) from sluice.permit");
    }

    String permits(String columns) throws SQLException {
        return fixture.query("select string_agg(" + columns + ", ' ' order by id) from sluice.permit p");
    }
}
