package dev.sluice.it.container;

import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import dev.sluice.launcher.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jboss.arquillian.container.spi.event.container.AfterStop;
import org.jboss.arquillian.container.spi.event.container.BeforeStart;
import org.jboss.arquillian.core.api.annotation.Observes;
import org.jboss.arquillian.core.spi.LoadableExtension;

/**
 * Starts PostgreSQL, and the server that Arquillian then connects to. We start it rather than Arquillian, so that it knows
 * the database, and ends with this JVM however that ends.
 */
public final class ServerExtension implements LoadableExtension {

    /** Arquillian looks for a JVM that was started with this name, among all of this machine. */
    private static final String NAME = "container" + ProcessHandle.current().pid() + "x";

    /** How jobs are claimed. */
    private static final String MODE = System.getProperty("mode");

    private static final Path LOGS = Path.of(System.getProperty("logs"));
    private static final Path DIRECTORY = LOGS.resolveSibling("container");

    /** Before arquillian.xml is read. */
    @Override
    public void register(ExtensionBuilder builder) {
        try {
            deleteOldRun();
            Files.createDirectories(DIRECTORY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.setProperty("container.server", NAME);
        System.setProperty("container.directory", DIRECTORY.toString());
        builder.observer(Servers.class);
    }

    private static void deleteOldRun() throws IOException {
        if (Files.exists(DIRECTORY)) {
            try (Stream<Path> paths = Files.walk(DIRECTORY)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /** PostgreSQL and Open Liberty, for as long as the suite runs. */
    public static final class Servers {

        private static final Path SERVER_CONFIG = Path.of(System.getProperty("server.config"));

        private PostgresServer postgres;
        private LibertyServer liberty;

        public void start(@Observes BeforeStart event) throws IOException, SQLException {
            postgres = PostgresServer.builder().start();
            for (String database : new String[] {"work", "other"}) {
                postgres.createDatabase(database);
                execute(
                        database,
                        "create table ledger (id bigint generated always as identity, job bigint, attempt int)");
            }
            execute("work", "create schema batch");
            execute("work", "create extension pg_stat_statements");
            execute("work", "create extension pg_walinspect");
            execute(
                    "work",
                    "create table note (id bigint generated always as identity, job bigint, attempt int, text text,"
                            + " at timestamptz default clock_timestamp())");
            execute(
                    "work",
                    "create table item (id bigint primary key, text text, version int not null default 1,"
                            + " parent_id bigint references item deferrable initially deferred)");
            liberty = LibertyServer.builder(Path.of(System.getProperty("liberty.home")), NAME)
                    .userDirectory(DIRECTORY)
                    .serverXml(resource("/container/server.xml"))
                    // an application that writes in batches is advised so
                    .env("SLUICE_URL", postgres.jdbcUrl("work") + "?reWriteBatchedInserts=true")
                    .env("OTHER_URL", postgres.jdbcUrl("other"))
                    .env("SLUICE_USER", PostgresServer.USER)
                    .env("SLUICE_PASSWORD", "trusted")
                    .env("SLUICE_MODE", MODE)
                    .build();
            for (String include : new String[] {"sluice.xml", "batch.xml"}) {
                Files.copy(
                        SERVER_CONFIG.resolve(include),
                        liberty.serverDirectory().resolve(include));
            }
            Path drivers = Files.createDirectories(liberty.serverDirectory().resolve("jdbc"));
            Files.copy(TestApplication.module("postgresql.jar").toPath(), drivers.resolve("postgresql-driver.jar"));
            liberty.start();
        }

        public void stop(@Observes AfterStop event) throws IOException {
            try (PostgresServer last = postgres) {
                liberty.close();
                Files.createDirectories(LOGS);
                Files.copy(
                        liberty.serverDirectory().resolve("logs/messages.log"),
                        LOGS.resolve("container-" + MODE + ".log"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
        }

        private void execute(String database, String sql) throws SQLException {
            try (Connection connection = postgres.connect(database);
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        private static String resource(String name) throws IOException {
            try (var file = ServerExtension.class.getResourceAsStream(name)) {
                return new String(file.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }
}
