package dev.sluice.engine.queue;

import dev.sluice.engine.database.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Finds waiting jobs whose handler's transaction ended without a word: it took them, and was rolled back by the death of
 * its server, or of its connection. One of them may have been the reason, so each is made to run by itself, leased, where
 * a further death names the culprit.
 *
 * <p>PostgreSQL keeps the mark: a row that a rolled back transaction had deleted or locked has an {@code xmax} that is not
 * zero (section 5.6). Rows that a living transaction has taken look the same, but are locked. Whoever rolls back in good
 * order moves the job at once; so only what two looks in a row have found unlocked is isolated. Belongs to one connection and one
 * thread.
 */
public final class Isolation {

    /** They are the oldest that wait, since claims have taken what was around them. */
    private static final int WINDOW = 1_000;

    private static final String LOOK = """
            /* sluice:look for rolled back */
            select waiting.pos
            from unnest(?::text[]) queue(name),
              unnest('{0,1,2,3}'::smallint[]) reach(priority),
              lateral (
                select pos, xmax <> 0 as taken from {schema}.job_1
                where queue = queue.name and priority = reach.priority and lease is null and not alone
                order by pos limit ?) waiting,
              lateral (
                select from {schema}.job_1
                where queue = queue.name and priority = reach.priority and pos = waiting.pos
                  and lease is null and xmax <> 0
                for key share skip locked) unlocked
            where waiting.taken
            """;

    private static final String ISOLATE = """
            /* sluice:isolate */
            update {schema}.job_1 set alone = true
            where ctid = any(array(
              select job.ctid
              from unnest(?::text[]) queue(name),
                unnest('{0,1,2,3}'::smallint[]) reach(priority),
                unnest(?::bigint[]) seen(pos),
                lateral (
                  select ctid from {schema}.job_1
                  where queue = queue.name and priority = reach.priority and pos = seen.pos
                    and lease is null and not alone and xmax <> 0
                  for update skip locked) job))
            """;

    private final Connection connection;
    private final PreparedStatement look;
    private final PreparedStatement isolate;
    private List<Long> seen = List.of();

    public Isolation(Connection connection, Schema schema) throws SQLException {
        this.connection = connection;
        this.look = connection.prepareStatement(schema.sql(LOOK));
        this.isolate = connection.prepareStatement(schema.sql(ISOLATE));
    }

    /**
     * Looks once, and isolates what the look before this one has found too. Between two looks is to be more time than it
     * takes to roll back in good order.
     *
     * @return how many jobs have to run by themselves now
     */
    public int look(Collection<String> queues) throws SQLException {
        List<Long> found = new ArrayList<>();
        look.setArray(1, connection.createArrayOf("text", queues.toArray()));
        look.setInt(2, WINDOW);
        try (ResultSet row = look.executeQuery()) {
            while (row.next()) {
                found.add(row.getLong(1));
            }
        }
        List<Long> again = new ArrayList<>(found);
        again.retainAll(seen);
        seen = found;
        if (again.isEmpty()) {
            return 0;
        }
        isolate.setArray(1, connection.createArrayOf("text", queues.toArray()));
        isolate.setArray(2, connection.createArrayOf("bigint", again.toArray()));
        return isolate.executeUpdate();
    }
}
