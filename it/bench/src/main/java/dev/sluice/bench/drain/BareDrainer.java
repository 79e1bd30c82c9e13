package dev.sluice.bench.drain;

import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Bare SQL on as many connections as the engine has handlers. */
final class BareDrainer implements Drainer {

    private final BareTable table;
    private final Database database;
    private final Connection connection;
    private final Backlog backlog;
    private final int threads;
    private final int batch;
    private long enqueued;

    /**
     * @param table      which it creates
     * @param connection in autocommit
     * @param batch      jobs of one claim at most
     */
    BareDrainer(BareTable table, Database database, Connection connection, Payloads payloads, int threads, int batch)
            throws SQLException {
        this.table = table;
        this.database = database;
        this.connection = connection;
        this.backlog = new Backlog(connection, payloads, table.enqueue());
        this.threads = threads;
        this.batch = batch;
        try (Statement statement = connection.createStatement()) {
            statement.execute(table.create());
        }
    }

    @Override
    public void enqueue(int jobs) throws SQLException {
        backlog.enqueue(BareTable.QUEUE, enqueued + 1, jobs);
        enqueued += jobs;
    }

    @Override
    public Crew start() throws SQLException {
        List<Connection> connections = new ArrayList<>();
        try {
            for (int thread = 0; thread < threads; thread++) {
                connections.add(database.connect(Database.QUEUE, "sluice-bench bare", BareCrew.PLANNER));
            }
            return BareCrew.start(table, connections, batch);
        } catch (SQLException | RuntimeException e) {
            for (Connection open : connections) {
                open.close();
            }
            throw e;
        }
    }

    @Override
    public long left() throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet row = query.executeQuery("/* bench:left */ select count(*) from " + table.name())) {
            row.next();
            return row.getLong(1);
        }
    }
}
