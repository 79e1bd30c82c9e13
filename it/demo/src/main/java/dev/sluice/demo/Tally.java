package dev.sluice.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What has become of the orders, counted by SQL in one snapshot.
 *
 * @param enqueued    orders
 * @param done        those with a row in the ledger
 * @param deadLetters of the rest, those whose job is a dead letter
 * @param waiting     of the rest, those whose job waits or runs
 * @param lost        the rest
 * @param doubled     orders with more than one row in the ledger
 */
record Tally(long enqueued, long done, long deadLetters, long waiting, long lost, long doubled) {

    private static final String COUNT = """
            /* demo:tally */
            with entry as (
              select order_id, count(*) as entries from shop.ledger group by order_id
            ), dead as (
              select distinct (payload ->> 'id')::bigint as order_id from sluice.dead_letter where queue = 'orders'
            ), waiting as (
              select distinct (payload ->> 'id')::bigint as order_id from (
                select payload from sluice.job where queue = 'orders'
                union all
                select payload from sluice.scheduled where queue = 'orders') job
            )
            select
              count(*) as enqueued,
              count(entry.order_id) as done,
              count(dead.order_id) filter (where entry.order_id is null) as dead_letters,
              count(waiting.order_id) filter (where entry.order_id is null and dead.order_id is null) as waiting,
              count(*) filter (where coalesce(entry.order_id, dead.order_id, waiting.order_id) is null) as lost,
              count(*) filter (where entry.entries > 1) as doubled
            from shop.orders o
              left join entry on entry.order_id = o.id
              left join dead on dead.order_id = o.id
              left join waiting on waiting.order_id = o.id""";

    private static final String UNFINISHED = """
            /* demo:unfinished */
            select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)""";

    static Tally count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(COUNT)) {
            row.next();
            return new Tally(
                    row.getLong("enqueued"),
                    row.getLong("done"),
                    row.getLong("dead_letters"),
                    row.getLong("waiting"),
                    row.getLong("lost"),
                    row.getLong("doubled"));
        }
    }

    /** Jobs that wait or run. */
    static long unfinished(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(UNFINISHED)) {
            row.next();
            return row.getLong(1);
        }
    }
}
