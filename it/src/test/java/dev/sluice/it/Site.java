package dev.sluice.it;

import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import dev.sluice.launcher.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL with the two databases {@code work} and {@code other}, and servers that a test starts and kills. */
public final class Site implements AutoCloseable {

    private static final Path SERVER_CONFIG = Path.of(System.getProperty("server.config"));
    private static final Path LIBERTY = Path.of(System.getProperty("liberty.home"));
    private static final Path LOGS = Path.of(System.getProperty("logs"));
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final PostgresServer postgres;
    private final Path files;
    private final List<LibertyServer> servers = new ArrayList<>();

    private Site(PostgresServer postgres, Path files) {
        this.postgres = postgres;
        this.files = files;
    }

    /** Starts PostgreSQL and lays out both databases. */
    public static Site open() throws SQLException, IOException {
        Site site = new Site(
                PostgresServer.builder().setting("max_connections", "300").start(), Files.createTempDirectory("site"));
        for (String database : new String[] {"work", "other"}) {
            site.postgres.createDatabase(database);
            site.execute(
                    database, "create table ledger (id bigint generated always as identity, job bigint, attempt int)");
        }
        site.execute("work", "create schema batch");
        TestApplication.write(TestApplication.ear(), site.files);
        TestApplication.write(TestApplication.haltingDriver(), site.files);
        return site;
    }

    public PostgresServer postgres() {
        return postgres;
    }

    /**
     * The file that names the point at which {@link dev.sluice.it.app.HaltingXADataSource} or
     * {@link dev.sluice.it.app.HaltingOnePhaseDataSource} halts its server.
     */
    public Path haltFile() {
        return files.resolve("halt");
    }

    /** A server with the application under test, laid out but not started. */
    public LibertyServer server(String name) throws IOException {
        return server(name, Map.of());
    }

    /** A server with the application under test, laid out but not started, its environment changed by this. */
    public LibertyServer server(String name, Map<String, String> environment) throws IOException {
        return server(name, files.resolve("sluice.ear"), environment);
    }

    /** A server with this application, laid out but not started, its environment changed by this. */
    public LibertyServer server(String name, Path ear, Map<String, String> environment) throws IOException {
        return server(name, resource("/app/server.xml"), Map.of("sluice.ear", ear), environment);
    }

    /**
     * A server with this server.xml, laid out but not started.
     *
     * @param apps        what is in its folder {@code apps}, by file name
     * @param environment added to what all servers have
     */
    public LibertyServer server(
            String name,
            String serverXml,
            Map<String, Path> apps,
            Map<String, String> environment,
            String... jvmOptions)
            throws IOException {
        LibertyServer.Builder builder = LibertyServer.builder(LIBERTY, name)
                .serverXml(serverXml)
                .jvmOption("-Dhalt.file=" + haltFile())
                .env("SLUICE_URL", postgres.jdbcUrl("work"))
                .env("OTHER_URL", postgres.jdbcUrl("other"))
                .env("SLUICE_USER", PostgresServer.USER)
                .env("SLUICE_PASSWORD", "trusted")
                .env("SLUICE_NODE_TIMEOUT", "3000")
                .env("SLUICE_CONCURRENCY", "50")
                .env("SLUICE_BATCH", "50");
        apps.forEach((file, archive) -> builder.application(archive, file));
        environment.forEach(builder::env);
        List.of(jvmOptions).forEach(builder::jvmOption);
        LibertyServer server = builder.build();
        servers.add(server);
        Path directory = server.serverDirectory();
        for (String include : new String[] {"sluice.xml", "sluice-shared.xml", "batch.xml"}) {
            Files.copy(SERVER_CONFIG.resolve(include), directory.resolve(include));
        }
        // read before server.xml, which so can be one that we ship or document
        Path defaults = Files.createDirectories(directory.resolve("configDropins/defaults"));
        Files.writeString(defaults.resolve("test.xml"), resource("/app/test.xml"));
        Path drivers = Files.createDirectories(directory.resolve("jdbc"));
        Files.copy(TestApplication.module("postgresql.jar").toPath(), drivers.resolve("postgresql-driver.jar"));
        Files.copy(files.resolve("halting.jar"), drivers.resolve("halting.jar"));
        return server;
    }

    /** A started server that delivers jobs. */
    public LibertyServer start(String name) throws IOException, SQLException, InterruptedException {
        LibertyServer server = server(name);
        server.start();
        awaitReady(server);
        return server;
    }

    /** Waits until the server's health says that jobs are delivered. */
    public void awaitReady(LibertyServer server) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (readiness(server) != 200) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("not ready; its log ends with " + tail(server.messages()));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** The HTTP status of the server's readiness; 0 if it does not answer. */
    public int readiness(LibertyServer server) throws InterruptedException {
        try {
            return get(server, "/health/ready").statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    public HttpResponse<String> get(LibertyServer server, String path) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(server.baseUrl() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> post(LibertyServer server, String path) throws IOException, InterruptedException {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(server.baseUrl() + path))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    public void execute(String sql) throws SQLException {
        execute("work", sql);
    }

    public void execute(String database, String sql) throws SQLException {
        try (Connection connection = postgres.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public String query(String sql) throws SQLException {
        return query("work", sql);
    }

    /** The first column of the first row; null without one. */
    public String query(String database, String sql) throws SQLException {
        try (Connection connection = postgres.connect(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** Waits until a query of the database {@code work} gives this answer; fails with the last one. */
    public void await(String expected, String sql) throws SQLException, InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        String actual = query(sql);
        while (!expected.equals(actual)) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("not " + expected + " but " + actual + ": " + sql
                        + servers.stream()
                                .map(server -> "\n" + tail(server.messages()))
                                .toList());
            }
            TimeUnit.MILLISECONDS.sleep(50);
            actual = query(sql);
        }
    }

    /** Waits until these queues are defined: a server is ready before the last of them is, and none can be used before. */
    public void awaitQueues(String... names) throws SQLException, InterruptedException {
        await(
                "t",
                "select not exists (select unnest(string_to_array('" + String.join(",", names)
                        + "', ',')) except select name from sluice.queue)");
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 4_000));
    }

    private static String resource(String name) throws IOException {
        try (var file = Site.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    /** Stops everything; keeps the servers' logs. */
    @Override
    public void close() throws IOException {
        Files.createDirectories(LOGS);
        for (LibertyServer server : servers) {
            String name = server.serverDirectory().getFileName().toString();
            try {
                Files.writeString(LOGS.resolve(name + ".log"), server.messages());
            } catch (UncheckedIOException e) {
                // it never started
            }
            server.close();
        }
        postgres.close();
        try (var paths = Files.list(files)) {
            for (Path path : paths.toList()) {
                Files.delete(path);
            }
        }
        Files.delete(files);
    }
}
