package dev.sluice.engine.queue;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

/** Reads what a claim returns: jobs, and in each row, of which there is one at least, how the sequences are. */
final class JobRow {

    /**
     * What a claim tells besides.
     *
     * @param epoch  the one that is current
     * @param newest the position drawn last, of any queue
     */
    record Sequences(int epoch, long newest) {}

    private JobRow() {}

    /** Adds the jobs to those that the claim has brought so far. */
    static Sequences read(PreparedStatement statement, int epoch, String queue, Long lease, List<Job> jobs)
            throws SQLException {
        Sequences sequences = null;
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                sequences = new Sequences(row.getInt("current_epoch"), row.getLong("newest_pos"));
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
        return sequences;
    }
}
