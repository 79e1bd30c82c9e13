package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.postgresql.Driver;

/**
 * A PostgreSQL of our own on 127.0.0.1, with its data in a temporary directory.
 *
 * <p>It can be stopped and started over the same data and port as often as wanted; {@link #close()} deletes the data. It
 * does not outlive this JVM.
 */
public final class PostgresServer implements AutoCloseable {

    /** The superuser, who needs no password unless {@link Builder#password(String)} sets one. */
    public static final String USER = "postgres";

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final String DUPLICATE_DATABASE = "42P04";

    private final Path home;
    private final PrivilegeDrop privileges;
    private final Path directory;
    private final LogFile log;
    private final int port;
    private final String password;
    private final ProcessGuard guard;

    private volatile ServerProcess process;

    private PostgresServer(Builder builder) {
        home = builder.binaries != null ? PostgresBinaries.unpackedFrom(builder.binaries) : PostgresBinaries.unpacked();
        privileges = builder.privileges != null ? builder.privileges : PrivilegeDrop.thatRuns(program("postgres"));
        port = builder.port != 0 ? builder.port : FreePort.pick();
        password = builder.password;
        try {
            directory = Files.createTempDirectory("sluice-postgres-").toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log = new LogFile(directory.resolve("server.log"));
        guard = new ProcessGuard(
                this::close, List.of(StopMode.FAST.signal(), StopMode.IMMEDIATE.signal()), List.of(directory));
    }

    /** Returns a builder of a server with the defaults described there. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts the server and waits until it answers; does nothing if it runs.
     *
     * @throws IllegalStateException if it ends or does not answer within 60 seconds; the message has the end of its log
     */
    public void start() {
        if (isRunning()) {
            return;
        }
        process = run("postgres", "-D", dataDirectory().toString());
        try {
            awaitAnswer();
        } catch (RuntimeException e) {
            try {
                stop(StopMode.IMMEDIATE);
            } catch (RuntimeException alive) {
                e.addSuppressed(alive);
            }
            throw e;
        }
    }

    /**
     * Stops the server and waits until it has ended; does nothing if it does not run.
     *
     * @throws IllegalStateException if it still runs after 60 seconds, as in mode SMART with a client that stays
     */
    public void stop(StopMode mode) {
        ServerProcess stopping = process;
        if (stopping == null) {
            return;
        }
        if (stopping.isAlive()) {
            Command.signal(mode.signal(), postmaster());
        }
        if (!stopping.awaitExit(LIMIT)) {
            throw failure("PostgreSQL still runs " + LIMIT.toSeconds() + " s after a stop in mode " + mode);
        }
    }

    /** Stops the server, then starts it again over the same data and port. */
    public void restart(StopMode mode) {
        stop(mode);
        start();
    }

    /** Whether the server's process is alive. */
    public boolean isRunning() {
        ServerProcess current = process;
        return current != null && current.isAlive();
    }

    /** Stops the server and deletes its data, for good. */
    @Override
    public void close() {
        try {
            stop(StopMode.FAST);
        } finally {
            guard.close();
        }
    }

    /** Returns the JDBC URL of a database, without user or password. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** Connects to a database as the superuser. */
    public Connection connect(String database) throws SQLException {
        return connect(database, new Properties());
    }

    /** Creates a database unless there is one of that name. */
    public void createDatabase(String name) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("create database \"" + name.replace("\"", "\"\"") + "\"");
        } catch (SQLException e) {
            if (!DUPLICATE_DATABASE.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    /** Returns the TCP port, the same over all restarts. */
    public int port() {
        return port;
    }

    /** Returns the data directory, which may belong to another user than ours. */
    public Path dataDirectory() {
        return directory.resolve("data");
    }

    /** Returns the process id of the postmaster, the last one's if the server does not run. */
    public long pid() {
        return postmaster();
    }

    private void initialize(Map<String, String> settings) {
        privileges.handOver(directory);
        List<String> arguments = new ArrayList<>(List.of(
                "-D",
                dataDirectory().toString(),
                "-U",
                USER,
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
                "--no-instructions"));
        try {
            if (password == null) {
                arguments.add("--auth=trust");
            } else {
                Path file = Files.writeString(directory.resolve("password"), password);
                privileges.handOver(file);
                arguments.addAll(List.of("--auth=scram-sha-256", "--pwfile=" + file));
            }
            process = run("initdb", arguments.toArray(String[]::new));
            if (!process.awaitExit(LIMIT) || process.exitStatus() != 0) {
                throw failure("initdb failed");
            }
            StringBuilder lines = new StringBuilder();
            settings.forEach((name, value) ->
                    lines.append(name).append(" = ").append(quoted(value)).append('\n'));
            Files.writeString(dataDirectory().resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String quoted(String value) {
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private ServerProcess run(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program(program).toString()));
        command.addAll(List.of(arguments));
        try {
            return ServerProcess.start(privileges.wrap(command), Map.of(), directory, log.path(), guard);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path program(String name) {
        return home.resolve("bin").resolve(name);
    }

    private void awaitAnswer() {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!answers()) {
            if (process.awaitExit(POLL)) {
                throw failure("PostgreSQL ended with status " + process.exitStatus() + " before it answered");
            }
            if (System.nanoTime() > deadline) {
                throw failure("PostgreSQL did not answer within " + LIMIT.toSeconds() + " s");
            }
            guard.watch(postmaster());
        }
        guard.watch(postmaster());
    }

    private boolean answers() {
        Properties impatience = new Properties();
        impatience.setProperty("connectTimeout", "5");
        impatience.setProperty("socketTimeout", "5");
        try (Connection connection = connect("postgres", impatience);
                Statement statement = connection.createStatement();
                var result = statement.executeQuery("show data_directory")) {
            // Someone else's server at our port must not be taken for ours.
            return result.next() && Path.of(result.getString(1)).equals(dataDirectory());
        } catch (SQLException notYet) {
            return false;
        }
    }

    private Connection connect(String database, Properties properties) throws SQLException {
        properties.setProperty("user", USER);
        if (password != null) {
            properties.setProperty("password", password);
        }
        return new Driver().connect(jdbcUrl(database), properties);
    }

    // Runuser stays between us and the postmaster, whose file may be left over from an older run.
    private long postmaster() {
        ServerProcess current = process;
        try (var lines = Files.lines(dataDirectory().resolve("postmaster.pid"))) {
            long pid = Long.parseLong(lines.findFirst().orElse("0").trim());
            return current.isParentOf(pid) ? pid : current.pid();
        } catch (NoSuchFileException e) {
            return current.pid();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private IllegalStateException failure(String what) {
        return new IllegalStateException(what + "; its log ends with:\n" + log.tail());
    }

    /** Collects what a server is started with. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private Path binaries;
        private int port;
        private String password;
        private PrivilegeDrop privileges;

        private Builder() {
            settings.put("listen_addresses", "127.0.0.1");
            settings.put("unix_socket_directories", "");
            settings.put("fsync", "on");
            settings.put("shared_buffers", "256MB");
            settings.put("max_connections", "200");
            settings.put("max_prepared_transactions", "100");
            settings.put("shared_preload_libraries", "pg_stat_statements");
        }

        /**
         * Takes PostgreSQL, in whatever version, from this jar of {@code io.zonky.test.postgres}. By default that on the class
         * path is taken: there can be only one there, since the files of all versions are named alike.
         */
        public Builder binaries(Path jar) {
            this.binaries = jar;
            return this;
        }

        /**
         * Sets a parameter of {@code postgresql.conf}. Other than PostgreSQL itself we start with {@code listen_addresses}
         * 127.0.0.1, no Unix socket, {@code shared_buffers} 256MB, {@code max_connections} 200,
         * {@code max_prepared_transactions} 100 and {@code shared_preload_libraries} pg_stat_statements.
         */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Sets the TCP port; 0, the default, picks a free one. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Makes everyone log in with a password (scram-sha-256), the superuser with this one. By default no one needs any. */
        public Builder password(String password) {
            this.password = password;
            return this;
        }

        /** Forces a way for a test; by default the first that works is taken. */
        Builder privileges(PrivilegeDrop way) {
            this.privileges = way;
            return this;
        }

        /**
         * Creates the database cluster (UTF8, locale C), starts the server and waits until it answers.
         *
         * @throws IllegalStateException if that fails; the message has the end of the server's log
         */
        public PostgresServer start() {
            PostgresServer server = new PostgresServer(this);
            try {
                settings.put("port", Integer.toString(server.port));
                server.initialize(settings);
                server.start();
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }
}
