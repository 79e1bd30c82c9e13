package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import dev.sluice.it.app.Entry;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** Queue {@code entities}: handlers that work with Jakarta Persistence. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "entities"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class EntityJobs implements JobListener {

    @PersistenceContext(unitName = "items")
    private EntityManager entities;

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Resource(lookup = "jdbc/witness")
    private DataSource elsewhere;

    /** Persists one for each job; they are written together when the transaction ends. */
    @OnJob("persistAll")
    public void persistAll(List<Entry> entries, List<JobContext> jobs) {
        for (int i = 0; i < jobs.size(); i++) {
            entities.persist(new Item(jobs.get(i).id(), entries.get(i).text()));
        }
    }

    /** Changes one that another transaction changes meanwhile, the first time. */
    @OnJob("overtaken")
    public void overtaken(long item, JobContext job) throws SQLException {
        Item found = entities.find(Item.class, item);
        found.rename("overtaken");
        if (job.attempt() == 1) {
            overtake(item);
        }
    }

    /** Changes one that another transaction changes meanwhile, each time. */
    @OnJob("alwaysOvertaken")
    public void alwaysOvertaken(long item, JobContext job) throws SQLException {
        entities.find(Item.class, item).rename("overtaken");
        overtake(item);
    }

    private void overtake(long item) throws SQLException {
        try (Connection connection = elsewhere.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("update item set version = version + 1 where id = " + item);
        }
    }

    /** Persists one whose identity is taken. */
    @OnJob("duplicate")
    public void duplicate(long item) {
        entities.persist(new Item(item, "duplicate"));
    }

    /** Reads parts that are not loaded yet, queries, flushes, and sees by JDBC what it flushed. */
    @OnJob("reads")
    public void reads(long item, JobContext job) throws SQLException {
        Item found = entities.find(Item.class, item);
        int parts = found.parts().size();
        Item more = new Item(job.id(), "more");
        found.add(more);
        entities.persist(more);
        entities.flush();
        long queried = entities.createQuery("select count(i) from Item i where i.parent = :item", Long.class)
                .setParameter("item", found)
                .setHint("eclipselink.read-only", "true")
                .getSingleResult();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("select count(*) from item where parent_id = " + item)) {
            row.next();
            Notes.write(connection, job.id(), job.attempt(), parts + " " + queried + " " + row.getInt(1));
        }
    }
}
