package dev.sluice.sample.client;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Places the sample's orders again and again, at a rate. Order n is due at the start plus n seconds over the rate,
 * however long those before it took: a slow database makes orders late, not fewer. Each thread has a connection of its
 * own; an order that the database refused is dropped and counted.
 */
public final class OrderFeeder implements AutoCloseable {

    private static final int THREADS = 8;
    private static final long RECONNECT_MILLIS = 1_000;

    private final String url;
    private final String user;
    private final String password;
    private final int ordersPerSecond;
    private final List<OrderLine> lines = OrderFile.ofTheSample();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong placed = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicReference<SQLException> lastProblem = new AtomicReference<>();
    private long firstRound;
    private long startedAt;
    private volatile long stoppedAt;

    /**
     * @param url             JDBC URL of the database of Sluice
     * @param user            a role that may enqueue and owns schema {@code shop}, or may create it
     * @param password        its password; null for none
     * @param ordersPerSecond at least 1
     */
    public OrderFeeder(String url, String user, String password, int ordersPerSecond) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.ordersPerSecond = ordersPerSecond;
    }

    /** Creates the shop's tables if they are missing; {@link #start} does it too. */
    public void createTables() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            Shop.createTables(connection);
        }
    }

    /** Begins to place orders. A second start is refused. */
    public synchronized void start() throws SQLException {
        if (!threads.isEmpty()) {
            throw new IllegalStateException("The feeder was started already");
        }
        createTables();
        try (Connection connection = DriverManager.getConnection(url, user, password)) {
            firstRound = (Shop.lastFedOrder(connection) + lines.size() - 1) / lines.size();
        }
        startedAt = System.nanoTime();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(this::placeOrders, "order feeder " + (i + 1));
            threads.add(thread);
            thread.start();
        }
    }

    /** Places no more orders and waits for those that are being placed. Without effect the second time. */
    public synchronized void stop() {
        if (stopped.getCount() > 0) {
            stoppedAt = System.nanoTime();
            stopped.countDown();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    /** Orders that were committed. */
    public long placed() {
        return placed.get();
    }

    /** Orders that the database refused, or whose commit was not answered. */
    public long dropped() {
        return dropped.get();
    }

    /** How many orders are late: due by now, or by the stop, but not placed or dropped. */
    public long late() {
        long until = stopped.getCount() > 0 ? System.nanoTime() : stoppedAt;
        long due = (long) ((until - startedAt) / 1e9 * ordersPerSecond);
        return Math.max(0, due - placed.get() - dropped.get());
    }

    /** Why the last dropped order was; null if none was. */
    public SQLException lastProblem() {
        return lastProblem.get();
    }

    private void placeOrders() {
        try {
            while (stopped.getCount() > 0) {
                try (Connection connection = DriverManager.getConnection(url, user, password)) {
                    connection.setAutoCommit(false);
                    placeOrders(connection);
                } catch (SQLException e) {
                    lastProblem.set(e);
                    stopped.await(RECONNECT_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void placeOrders(Connection connection) throws SQLException, InterruptedException {
        while (true) {
            long order = next.getAndIncrement();
            long dueAt = startedAt + (long) (order * (1e9 / ordersPerSecond));
            if (stopped.await(dueAt - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
            OrderLine line = lines.get((int) (order % lines.size()));
            long round = firstRound + order / lines.size();
            try {
                Shop.order(connection, round * lines.size() + line.number(), line);
                placed.incrementAndGet();
            } catch (SQLException e) {
                dropped.incrementAndGet();
                throw e;
            }
        }
    }

    /** Feeds until it is killed: {@code OrderFeeder JDBC_URL USER PASSWORD ORDERS_PER_SECOND}. */
    public static void main(String... arguments) throws Exception {
        if (arguments.length != 4 || !arguments[3].matches("[1-9]\\d{0,5}")) {
            System.err.println("Usage: OrderFeeder JDBC_URL USER PASSWORD ORDERS_PER_SECOND");
            System.exit(2);
        }
        int rate = Integer.parseInt(arguments[3]);
        try (OrderFeeder feeder = new OrderFeeder(arguments[0], arguments[1], arguments[2], rate)) {
            feeder.start();
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                System.out.println("placed " + feeder.placed() + ", late " + feeder.late() + ", dropped "
                        + feeder.dropped() + (feeder.dropped() == 0 ? "" : ": " + feeder.lastProblem()));
            }
        }
    }
}
