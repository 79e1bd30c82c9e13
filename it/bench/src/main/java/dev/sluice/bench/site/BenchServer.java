package dev.sluice.bench.site;

import dev.sluice.api.NodeStatus;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An Open Liberty with the bench's application. */
public final class BenchServer implements AutoCloseable {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final Duration READY_POLL = Duration.ofMillis(100);

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
            throws IOException, InterruptedException, SiteException {
        BenchServer started = new BenchServer(layOut(liberty, database, handling), log);
        try {
            Path directory = started.server.serverDirectory();
            Installation.copy("sluice.xml", directory.resolve("sluice.xml"));
            Installation.copy("postgresql.jar", directory.resolve("postgresql.jar"));
            started.server.start();
            started.awaitReady();
            return started;
        } catch (IOException | InterruptedException | SiteException | RuntimeException e) {
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
                    .build();
        } finally {
            Files.delete(application);
        }
    }

    private void awaitReady() throws IOException, InterruptedException, SiteException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        NodeStatus now = status();
        while (!now.ready()) {
            if (System.nanoTime() > deadline) {
                throw new SiteException("The server delivers no jobs: " + now.problem() + ". Its log: " + log);
            }
            TimeUnit.NANOSECONDS.sleep(READY_POLL.toNanos());
            now = status();
        }
    }

    /** How the server's part in the queue is doing. */
    public NodeStatus status() throws IOException, InterruptedException {
        return status.get();
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
