package dev.sluice.demo;

import dev.sluice.api.NodeStatus;
import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** An Open Liberty with the sample, configured by the files that the project ships. */
final class SampleServer implements AutoCloseable {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final String[] CONFIGURATION = {"sluice.xml", "batch.xml"};

    private final Installation installation;
    private final LibertyServer server;
    private final SampleApi api;

    private SampleServer(Installation installation, LibertyServer server) {
        this.installation = installation;
        this.server = server;
        this.api = new SampleApi(server.baseUrl());
    }

    /** Starts the server and waits until it delivers jobs. */
    static SampleServer start(Installation installation, ShopDatabase database, DemoSettings settings)
            throws IOException, InterruptedException {
        LibertyServer server = LibertyServer.builder(installation.liberty(), "sluice-demo")
                .serverXml(Files.readString(installation.serverConfig().resolve("server.xml")))
                .application(installation.application(), "sample.ear")
                .env("SLUICE_URL", database.url())
                .env("SLUICE_USER", ShopDatabase.SLUICE_OWNER)
                .env("SLUICE_PASSWORD", database.password())
                .env("SLUICE_MODE", DemoSettings.word(settings.mode()))
                .build();
        SampleServer started = new SampleServer(installation, server);
        try {
            started.configure();
            server.start();
            started.awaitReady();
            return started;
        } catch (IOException | InterruptedException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void configure() throws IOException {
        for (String file : CONFIGURATION) {
            Files.copy(
                    installation.serverConfig().resolve(file),
                    server.serverDirectory().resolve(file));
        }
        Path libraries = Files.createDirectories(server.serverDirectory().resolve("jdbc"));
        Files.copy(
                installation.driver(), libraries.resolve(installation.driver().getFileName()));
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        NodeStatus status = api.status();
        while (!status.ready()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("The server delivers no jobs: " + status.problem());
            }
            Thread.sleep(100);
            status = api.status();
        }
    }

    SampleApi api() {
        return api;
    }

    String url() {
        return server.baseUrl();
    }

    /** Where the log is while the server runs. */
    Path log() {
        return server.serverDirectory().resolve("logs/messages.log");
    }

    /** Stops the server and keeps its log. */
    @Override
    public void close() throws IOException {
        try {
            server.stop();
            Files.createDirectories(installation.logs());
            Files.writeString(installation.logs().resolve("messages.log"), server.messages());
        } finally {
            server.close();
        }
    }
}
