package dev.sluice.sample.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The shop's tables, and the one thing that is done with them here. */
final class Shop {

    private static final String INSERT_ORDER = """
            /* shop:order */
            insert into shop.orders as o (id, customer, item, quantity, cents, payment)
            values (?, ?, ?, ?, ?, ?) returning row_to_json(o)::text""";

    private static final String ENQUEUE = "/* shop:enqueue */ select sluice.enqueue('orders', ?, ?)";

    private Shop() {}

    /** Creates what is missing of schema {@code shop}. */
    static void createTables(Connection connection) throws SQLException {
        try (InputStream file = Shop.class.getResourceAsStream("shop.sql");
                Statement statement = connection.createStatement()) {
            statement.execute(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Takes an order: the business row and its job in one transaction, so that there is never one without the other.
     *
     * @param connection without autocommit; committed if nothing is thrown
     */
    static void order(Connection connection, long id, OrderLine line) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT_ORDER);
                PreparedStatement enqueue = connection.prepareStatement(ENQUEUE)) {
            insert.setLong(1, id);
            insert.setString(2, line.customer());
            insert.setString(3, line.item());
            insert.setInt(4, line.quantity());
            insert.setLong(5, line.cents());
            insert.setString(6, line.payment());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                enqueue.setString(1, line.payment());
                enqueue.setString(2, row.getString(1));
            }
            enqueue.executeQuery().close();
            connection.commit();
        }
    }

    /** The highest id of an order that a feeder has numbered; 0 without any. */
    static long lastFedOrder(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select coalesce(max(id), 0) from shop.orders where id < 1000000000000")) {
            row.next();
            return row.getLong(1);
        }
    }
}
