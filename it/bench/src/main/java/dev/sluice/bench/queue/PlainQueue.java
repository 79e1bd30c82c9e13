package dev.sluice.bench.queue;

import dev.sluice.bench.load.Payloads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The queue of the textbook: a partial index on the time, {@code skip locked}, ten jobs at once; claim, work and delete are one
 * transaction. Its plan is PostgreSQL's.
 */
final class PlainQueue extends ComparedQueue {

    private static final String CREATE = """
            create schema plain;
            create table plain.job (
              id      bigint generated always as identity primary key,
              queue   text not null,
              run_at  timestamptz not null default now(),
              status  text not null default 'pending',
              payload json not null);
            create index job_pending on plain.job (queue, run_at) where status = 'pending'""";

    private static final String ENQUEUE =
            "/* bench:enqueue */ insert into plain.job (queue, payload) values (?, ?::json)";

    private static final String CLAIM = """
            /* bench:plain claim */
            select id, payload from plain.job
            where queue = ? and status = 'pending' and run_at <= now()
            order by run_at limit ?
            for update skip locked""";

    private static final String DELETE = "/* bench:plain delete */ delete from plain.job where id = any(?)";

    PlainQueue() {
        super("plain", CREATE, ENQUEUE);
    }

    @Override
    public String claims() {
        return "from plain\\.job\\s+where queue = .* skip locked";
    }

    @Override
    public QueueNode start(NodePlan plan) {
        return RoundWorkers.start(plan, (connection, queue, workers) -> {
            connection.setAutoCommit(false);
            List<Long> ids = new ArrayList<>();
            List<Long> numbers = new ArrayList<>();
            long begun = System.nanoTime();
            claim(connection, queue, plan.batch(), ids, numbers);
            if (!ids.isEmpty()) {
                workers.claimed(begun);
                Ledger.enter(connection, queue, numbers);
                workers.spend();
                delete(connection, ids);
            }
            connection.commit();
            return ids.size();
        });
    }

    private static void claim(Connection connection, String queue, int most, List<Long> ids, List<Long> numbers)
            throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, queue);
            claim.setInt(2, most);
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getLong(1));
                    numbers.add(Payloads.number(row.getString(2)));
                }
            }
        }
    }

    private static void delete(Connection connection, List<Long> ids) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
            delete.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
            delete.executeUpdate();
        }
    }
}
