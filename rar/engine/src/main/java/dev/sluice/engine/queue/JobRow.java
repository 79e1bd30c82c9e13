package dev.sluice.engine.queue;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

/** Reads what a claim returns: jobs, and in each row, of which there is one at least, the epoch that is current. */
final class JobRow {

    private JobRow() {}

    /**
     * Adds the jobs to those that the claim has brought so far.
     *
     * @return the current epoch
     */
    static int read(PreparedStatement statement, int epoch, String queue, Long lease, List<Job> jobs)
            throws SQLException {
        int current = 0;
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                current = row.getInt("current_epoch");
                long id = row.getLong("id");
                if (row.wasNull()) {
                    continue;
                }
                jobs.add(new Job(
                        epoch,
                        queue,
                        row.getShort("priority"),
                        row.getLong("pos"),
                        id,
                        row.getString("kind"),
                        row.getString("payload"),
                        row.getInt("attempt"),
                        row.getBoolean("alone"),
                        row.getObject("enqueued_at", OffsetDateTime.class).toInstant(),
                        lease));
            }
        }
        return current;
    }
}
