package dev.sluice.bench.site;

import dev.sluice.api.NodeStatus;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An Open Liberty with the bench's application. */
public final class BenchServer implements AutoCloseable {

    private static final Duration READY_LIMIT = Duration.ofSeconds(120);
    private static final Duration READY_POLL = Duration.ofMillis(100);

    private static final int HANDLERS = 5;
    private static final String QUEUES = "/* bench:queues */ select count(*) from sluice.queue";

    /** The message endpoint activation failed for resource adapter ... due to exception: ... */
    private static final Pattern ACTIVATION_FAILED = Pattern.compile("J2CA8802E: .*?due to exception: (.*)");

    private final LibertyServer server;
    private final Path log;
    private final StatusClient status;

    private BenchServer(LibertyServer server, Path log) {
        this.server = server;
        this.log = log;
        this.status = new StatusClient(server.baseUrl());
    }

    /** Starts the server and waits until it delivers jobs; its log is written to that file when it has stopped. */
    static BenchServer start(Path liberty, Database database, Handling handling, Path log)
            throws IOException, InterruptedException, SQLException, SiteException {
        BenchServer started = new BenchServer(layOut(liberty, database, handling), log);
        try {
            Path directory = started.server.serverDirectory();
            Installation.copy("sluice.xml", directory.resolve("sluice.xml"));
            Installation.copy("postgresql.jar", directory.resolve("postgresql.jar"));
            started.server.start();
            started.awaitReady(database);
            return started;
        } catch (IOException | InterruptedException | SQLException | SiteException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private static LibertyServer layOut(Path liberty, Database database, Handling handling) throws IOException {
        Path application = Files.createTempFile("sluice-bench-", ".ear");
        try {
            Installation.copy("bench.ear", application);
            return LibertyServer.builder(liberty, "sluice-bench")
                    .serverXml(Installation.text("server.xml"))
                    .application(application, "bench.ear")
                    .variable("bench.apart.url", database.url(Database.APART))
                    .env("SLUICE_URL", database.url(Database.QUEUE))
                    .env("SLUICE_USER", database.user())
                    .env("SLUICE_PASSWORD", database.password())
                    .env("SLUICE_MODE", handling.mode().toString())
                    .env("SLUICE_CONCURRENCY", Integer.toString(handling.workers()))
                    .env("SLUICE_BATCH", Integer.toString(handling.batch()))
                    .env("BENCH_WORK_MILLIS", Integer.toString(handling.workMillis()))
                    .build();
        } finally {
            Files.delete(application);
        }
    }

    private void awaitReady(Database database) throws IOException, InterruptedException, SQLException, SiteException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        NodeStatus now = status();
        while (!now.ready() || !allHandlersServe(database)) {
            Optional<String> refusal = activationFailure();
            if (refusal.isPresent() || System.nanoTime() > deadline) {
                throw new SiteException(
                        "The server delivers no jobs: " + refusal.orElse(now.problem()) + ". Its log: " + log);
            }
            TimeUnit.NANOSECONDS.sleep(READY_POLL.toNanos());
            now = status();
        }
    }

    /** A queue is there once a handler is served from it. */
    private static boolean allHandlersServe(Database database) throws SQLException {
        try (Connection connection = database.connect(Database.QUEUE);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUEUES)) {
            row.next();
            return row.getInt(1) == HANDLERS;
        }
    }

    /** Why the adapter does not serve a handler, in the container's words. */
    private Optional<String> activationFailure() {
        Matcher failure = ACTIVATION_FAILED.matcher(server.messages());
        return failure.find() ? Optional.of(failure.group(1).trim()) : Optional.empty();
    }

    /** How the server's part in the queue is doing. */
    public NodeStatus status() throws IOException, InterruptedException {
        return status.get();
    }

    /** Whether the server's process is there. */
    public boolean alive() {
        return server.isAlive();
    }

    /** Kills the server as a crash would. */
    public void kill() {
        server.kill();
    }

    /** Stops the server and keeps its log. */
    @Override
    public void close() throws IOException {
        Patience patience = Patience.begin();
        try {
            server.stop();
            Files.writeString(log, server.messages());
        } finally {
            server.close();
            patience.end();
        }
    }
}
