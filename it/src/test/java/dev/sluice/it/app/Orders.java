package dev.sluice.it.app;

import dev.sluice.api.JobQueue;
import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Enqueues in one transaction with two databases. The other is used first, so it is prepared last and committed first:
 * our branch is in doubt when the server halts at any call to the other.
 */
@Stateless
public class Orders {

    @Resource(lookup = "jdbc/other")
    private DataSource there;

    @Resource(lookup = "sluice/jobs")
    private JobQueue jobs;

    /** Returns the id of the job, of queue {@code work}. */
    public long order() throws SQLException {
        Ledger.enter(there, 0, 0);
        return jobs.enqueue("work", "enter", new Entry(1, "order"));
    }
}
