package dev.sluice.sample.web;

import dev.sluice.api.JobQueue;
import dev.sluice.sample.handlers.Order;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Takes orders: the business row and its job in one transaction. */
@Path("orders")
@ApplicationScoped
public class OrdersResource {

    private static final String INSERT = """
            insert into shop.orders (customer, item, quantity, cents, payment)
            values (?, ?, ?, ?, ?) returning id""";

    @Resource(lookup = "sluice/ds")
    private DataSource database;

    @Resource(lookup = "sluice/jobs")
    private JobQueue jobs;

    /**
     * Places an order.
     *
     * @param asked the order; its id is ignored
     * @return the order as it was placed
     */
    @POST
    @Produces(MediaType.APPLICATION_JSON)
    @Transactional(rollbackOn = Exception.class)
    public Order place(Order asked) throws SQLException {
        Order order = insert(asked);
        jobs.enqueue("orders", order.payment(), order);
        return order;
    }

    private Order insert(Order asked) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, asked.customer());
            insert.setString(2, asked.item());
            insert.setInt(3, asked.quantity());
            insert.setLong(4, asked.cents());
            insert.setString(5, asked.payment());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return new Order(
                        row.getLong(1),
                        asked.customer(),
                        asked.item(),
                        asked.quantity(),
                        asked.cents(),
                        asked.payment());
            }
        }
    }
}
