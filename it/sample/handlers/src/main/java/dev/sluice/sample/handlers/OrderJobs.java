package dev.sluice.sample.handlers;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Gets each order paid and writes that into the ledger, in the transaction in which its job goes: one job, one row,
 * however often an attempt fails.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "orders"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "300")
        })
public class OrderJobs implements JobListener {

    private static final String POST =
            "/* shop:post */ insert into shop.ledger (order_id, payment, cents, attempt) values (?, ?, ?, ?)";

    @Resource(lookup = "sluice/ds")
    private DataSource database;

    @PersistenceContext(unitName = "shop")
    private EntityManager entities;

    /** Plain JDBC. */
    @OnJob("card")
    public void card(Order order, JobContext job) throws SQLException {
        post(order, job);
    }

    /** Several in one transaction, by Jakarta Persistence on the same data source. */
    @OnJob("invoice")
    public void invoices(List<Order> orders, List<JobContext> jobs) {
        for (int i = 0; i < orders.size(); i++) {
            entities.persist(new LedgerEntry(orders.get(i), jobs.get(i).attempt()));
        }
    }

    /** The money is never there at first: what this attempt wrote is undone, and the next finds it. */
    @OnJob("transfer")
    public void transfer(Order order, JobContext job) throws SQLException, PaymentPendingException {
        post(order, job);
        if (job.attempt() == 1) {
            throw new PaymentPendingException("The transfer for order " + order.id() + " has not arrived yet");
        }
    }

    /** There is nothing to be had from this one: it becomes a dead letter after the last attempt. */
    @OnJob("expired-card")
    public void expiredCard(Order order, JobContext job) throws SQLException {
        post(order, job);
        throw new IllegalStateException("The card of " + order.customer() + " has expired");
    }

    private void post(Order order, JobContext job) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(POST)) {
            insert.setLong(1, order.id());
            insert.setString(2, order.payment());
            insert.setLong(3, order.cents());
            insert.setInt(4, job.attempt());
            insert.executeUpdate();
        }
    }
}
