package dev.sluice.it.container.app;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import dev.sluice.it.app.Entry;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;

/** Queue {@code echo}: notes what it was given. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "echo"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "2"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "100")
        })
public class EchoJobs implements JobListener {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @OnJob("number")
    public void number(Entry entry, JobContext job) throws SQLException {
        note(job, String.valueOf(entry.number()));
    }

    /** Another kind that does the same. */
    @OnJob("text")
    public void text(Entry entry, JobContext job) throws SQLException {
        note(job, entry.text());
    }

    @OnJob("order")
    public void order(JobContext job, Order order) throws SQLException {
        note(job, Order.SAMPLE.equals(order) ? "equal" : String.valueOf(order));
    }

    @OnJob("list")
    public void list(Entry[] entries, JobContext job) throws SQLException {
        int sum = 0;
        for (Entry entry : entries) {
            sum += entry.number();
        }
        note(job, entries.length + " entries, " + sum);
    }

    @OnJob("map")
    public void map(Map<String, Entry> entries, JobContext job) throws SQLException {
        note(job, entries.get("one").text() + entries.get("two").text());
    }

    @OnJob("string")
    public void string(String text, JobContext job) throws SQLException {
        note(job, text);
    }

    @OnJob("null")
    public void nothingGiven(Entry entry, JobContext job) throws SQLException {
        note(job, String.valueOf(entry));
    }

    /** A payload that cannot be null. */
    @OnJob("primitive")
    public void primitive(int number, JobContext job) throws SQLException {
        note(job, String.valueOf(number));
    }

    @OnJob("context")
    public void context(JobContext job) throws SQLException {
        note(job, job.queue() + " " + job.kind() + " " + job.attempt() + " " + job.enqueuedAt());
    }

    @OnJob("none")
    public void none() throws SQLException {
        Notes.write(dataSource, 0, 0, "none");
    }

    /** How many sweeps there have been when it starts. */
    @OnJob("sweeps")
    public void sweeps(JobContext job) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Sweeps.COUNT)) {
            row.next();
            note(job, row.getString(1));
        }
    }

    /** Notes where it was given NUL, which no text of PostgreSQL has. */
    @OnJob("escapedNul")
    public void escapedNul(Entry entry, JobContext job) throws SQLException {
        note(job, entry.text().replace("\0", "<NUL>"));
    }

    /** Notes where it was given the first half of a surrogate pair. */
    @OnJob("halfPair")
    public void halfPair(Entry entry, JobContext job) throws SQLException {
        note(job, entry.text().replace("\uD83D", "<D83D>"));
    }

    /** Fails for a reason that cannot be stored as it is. */
    @OnJob("unspeakable")
    public void unspeakable() {
        throw new IllegalStateException("before NUL \0 and half of a pair \uD83D after");
    }

    private void note(JobContext job, String text) throws SQLException {
        Notes.write(dataSource, job.id(), job.attempt(), text);
    }
}
