package dev.sluice.bench.drain;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/** A statement on one connection that deletes some jobs and returns them. */
interface BareClaim {

    /** Jobs deleted in the connection's transaction; 0 if nobody else has left any. */
    int claim() throws SQLException;

    /** Everything that a handler would be given. */
    record Row(
            short priority,
            long pos,
            long id,
            String kind,
            String payload,
            int attempt,
            boolean alone,
            OffsetDateTime enqueuedAt) {}

    /** Reads what the engine reads of a claim. */
    static List<Row> read(PreparedStatement claim) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (ResultSet row = claim.executeQuery()) {
            while (row.next()) {
                rows.add(new Row(
                        row.getShort("priority"),
                        row.getLong("pos"),
                        row.getLong("id"),
                        row.getString("kind"),
                        row.getString("payload"),
                        row.getInt("attempt"),
                        row.getBoolean("alone"),
                        row.getObject("enqueued_at", OffsetDateTime.class)));
            }
        }
        return rows;
    }
}
