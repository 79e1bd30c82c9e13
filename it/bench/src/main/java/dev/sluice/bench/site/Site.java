package dev.sluice.bench.site;

import dev.sluice.bench.option.CommonOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;

/** All that a run takes place on; closing it stops everything, in order. */
public final class Site implements AutoCloseable {

    private static final String LEDGER = """
            create schema bench;
            create table bench.ledger (number bigint not null, queue text not null);
            comment on table bench.ledger is 'What handlers did; a job that ran twice is in it twice'""";

    private static final String WITNESSES = """
            create extension pg_walinspect;
            create extension pg_stat_statements""";

    private final CommonOptions options;
    private final Path out;
    private final Path liberty;
    private final Database database;
    private final Deque<BenchServer> servers = new ArrayDeque<>();

    private Site(CommonOptions options, Path out, Path liberty, Database database) {
        this.options = options;
        this.out = out;
        this.liberty = liberty;
        this.database = database;
    }

    /**
     * Starts PostgreSQL, or connects to the one that was named, and lays out the bench's databases.
     *
     * @param liberty home of the Open Liberty for servers
     * @param out     where the logs of servers go
     * @throws SiteException if that cannot be had
     */
    public static Site open(CommonOptions options, Path liberty, Path out) throws SQLException, SiteException {
        Database database =
                options.url() != null ? ExistingDatabase.open(options.url()) : EmbeddedDatabase.start(options);
        Site site = new Site(options, out, liberty, database);
        try {
            site.execute(Database.QUEUE, LEDGER);
            site.execute(Database.APART, LEDGER);
            site.createWitnesses();
            return site;
        } catch (SQLException | SiteException | RuntimeException e) {
            site.closeQuietly(e);
            throw e;
        }
    }

    private void createWitnesses() throws SiteException {
        try {
            execute(Database.QUEUE, WITNESSES);
        } catch (SQLException e) {
            throw new SiteException(
                    "PostgreSQL cannot be watched: " + e.getMessage()
                            + ". It needs the extensions pg_walinspect and pg_stat_statements, and a role that may create "
                            + "them.",
                    e);
        }
    }

    private void execute(String name, String sql) throws SQLException {
        try (Connection connection = database.connect(name);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public Database database() {
        return database;
    }

    /** Where results and logs go. */
    public Path out() {
        return out;
    }

    /** Starts an Open Liberty that handles jobs as the options say. */
    public BenchServer startServer() throws IOException, InterruptedException, SQLException, SiteException {
        BenchServer server = BenchServer.start(
                liberty,
                database,
                new Handling(options.mode(), options.workers(), options.batch(), options.workMillis()),
                out.resolve("server-" + (servers.size() + 1) + ".log"));
        servers.push(server);
        return server;
    }

    /** Stops the servers, then PostgreSQL. */
    @Override
    public void close() throws SQLException, IOException {
        Patience patience = Patience.begin();
        try {
            stopServers();
        } finally {
            database.close();
            patience.end();
        }
    }

    private void stopServers() throws IOException {
        while (!servers.isEmpty()) {
            servers.pop().close();
        }
    }

    private void closeQuietly(Exception reason) {
        try {
            close();
        } catch (SQLException | IOException | RuntimeException e) {
            reason.addSuppressed(e);
        }
    }
}
