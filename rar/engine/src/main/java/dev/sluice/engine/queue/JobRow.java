package dev.sluice.engine.queue;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** Reads the rows that a claim returns. */
final class JobRow {

    private JobRow() {}

    static List<Job> list(PreparedStatement statement, String queue, Long lease) throws SQLException {
        List<Job> jobs = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                jobs.add(new Job(
                        queue,
                        row.getShort("priority"),
                        row.getLong("pos"),
                        row.getLong("id"),
                        row.getString("kind"),
                        row.getString("payload"),
                        row.getInt("attempt"),
                        row.getBoolean("alone"),
                        row.getObject("enqueued_at", OffsetDateTime.class).toInstant(),
                        lease));
            }
        }
        return jobs;
    }
}
