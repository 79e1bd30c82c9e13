package dev.sluice.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An Open Liberty server with a user directory of its own.
 *
 * <p>It can be stopped or killed and started again as often as wanted: its directories stay, and with them its transaction
 * log, until {@link #close()}, which deletes the user directory unless the builder was given one. It does not outlive this
 * JVM.
 */
public final class LibertyServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(50);

    private static final Pattern READY = Pattern.compile("CWWKF0011I");
    private static final Pattern APPLICATION_OUTCOME = Pattern.compile("CWWKZ000[13]I|CWWKZ\\d+E|CWWKZ0014W");
    private static final Pattern APPLICATION_STARTED = Pattern.compile("CWWKZ000[13]I");
    private static final Pattern ADAPTER_INSTALLED = Pattern.compile("J2CA7001I");

    private final LibertyHome home;
    private final String name;
    private final ServerDirectory directory;
    private final List<String> jvmOptions;
    private final Map<String, String> environment;
    private final int httpPort;
    private final int applications;
    private final int resourceAdapters;
    private final LogFile messages;
    private final LogFile console;
    private final ProcessGuard guard;

    private volatile ServerProcess process;

    private LibertyServer(Builder builder) throws IOException {
        home = new LibertyHome(builder.wlpHome);
        name = builder.name;
        boolean temporary = builder.userDirectory == null;
        Path userDirectory = temporary
                ? Files.createTempDirectory("sluice-liberty-").toRealPath()
                : builder.userDirectory.toAbsolutePath();
        directory = new ServerDirectory(userDirectory, name);
        jvmOptions = List.copyOf(builder.jvmOptions);
        httpPort = FreePort.pick();
        resourceAdapters = (int) builder.applications.keySet().stream()
                .filter(file -> file.endsWith(".rar"))
                .count();
        applications = builder.applications.size() - resourceAdapters;
        messages = new LogFile(directory.logs().resolve("messages.log"));
        console = new LogFile(directory.logs().resolve("console.log"));
        environment = new LinkedHashMap<>(directory.environment());
        environment.putAll(builder.environment);
        guard = new ProcessGuard(this::close, List.of("TERM"), temporary ? List.of(userDirectory) : List.of());
    }

    /** Returns a builder of a server of that name, run by the Open Liberty at {@code wlpHome}. */
    public static Builder builder(Path wlpHome, String name) {
        return new Builder(wlpHome, name);
    }

    /**
     * Starts the server and waits until it is ready and as many applications and resource adapters as the builder was given
     * have started; does nothing if it runs.
     *
     * @throws IllegalStateException if the server ends, an application fails or 120 seconds pass; the message has the end of
     *     the log
     */
    public void start() {
        if (isAlive()) {
            return;
        }
        startWithoutWaiting();
        try {
            awaitStarted();
        } catch (RuntimeException e) {
            kill();
            throw e;
        }
    }

    /** Starts the server and returns at once; does nothing if it runs. */
    public void startWithoutWaiting() {
        if (isAlive()) {
            return;
        }
        // Liberty would do it as it starts; until then we should take the last run's messages for this one's.
        messages.setAside();
        process =
                ServerProcess.start(home.run(name, jvmOptions), environment, serverDirectory(), console.path(), guard);
    }

    /** Stops the server in order and waits for its end, or kills it if that takes over a minute; does nothing if it does not run. */
    public void stop() {
        if (isAlive()) {
            // A suspended server would not hear of it.
            Command.signal("CONT", pid());
            ServerProcess stopping = process;
            if (!home.script("stop", name, environment) || !stopping.awaitExit(STOP_LIMIT)) {
                kill();
            }
        }
    }

    /** Kills the server as a crash would, with SIGKILL, and waits for its end; does nothing if it does not run. */
    public void kill() {
        ServerProcess current = process;
        if (current != null) {
            current.kill();
            awaitExit(STOP_LIMIT);
        }
    }

    /** Stops the server in order, then starts it again. */
    public void restart() {
        stop();
        start();
    }

    /**
     * Pauses a part of the server, as {@code server pause} does.
     *
     * @param target what to pause; for a message-driven bean APPLICATION#MODULE#BEAN, the module with its ending
     * @throws IllegalStateException if there is no such part
     */
    public void pause(String target) {
        command("pause", target);
    }

    /** Resumes what was paused; see {@link #pause(String)}. */
    public void resume(String target) {
        command("resume", target);
    }

    private void command(String action, String target) {
        if (!home.script(action, name, environment, "--target=" + target)) {
            throw failure("could not " + action + " " + target);
        }
    }

    /**
     * Puts an archive into {@code apps}, whole at once, in place of one that may be there; the server finds it by itself.
     *
     * @param fileName its name there
     */
    public void deploy(Path archive, String fileName) {
        directory.deploy(archive, fileName);
    }

    /** Whether the server's process is alive, suspended or not. */
    public boolean isAlive() {
        ServerProcess current = process;
        return current != null && current.isAlive();
    }

    /** Waits for the server to end by itself and returns whether it did in time; true if it does not run. */
    public boolean awaitExit(Duration limit) {
        ServerProcess current = process;
        return current == null || current.awaitExit(limit);
    }

    /**
     * Returns the process id of the server's JVM, the last one's if it does not run.
     *
     * @throws IllegalStateException if it has never been started
     */
    public long pid() {
        ServerProcess current = process;
        if (current == null) {
            throw new IllegalStateException("the server " + name + " has not been started");
        }
        return current.pid();
    }

    /** Returns the address of the HTTP endpoint, the same over all restarts, without a slash at its end. */
    public String baseUrl() {
        return "http://127.0.0.1:" + httpPort;
    }

    /** Returns the server's directory, with its configuration, {@code apps}, {@code logs} and {@code tranlog}. */
    public Path serverDirectory() {
        return directory.path();
    }

    /** Returns the text of {@code messages.log} since the last start. */
    public String messages() {
        return messages.text();
    }

    /** Returns the position in the log of what is written next, for {@link #awaitMessage(long, String, Duration)}. */
    public long mark() {
        return messages.size();
    }

    /** Waits for a line of the log since the last start; see {@link #awaitMessage(long, String, Duration)}. */
    public String awaitMessage(String regex, Duration limit) {
        return awaitMessage(0, regex, limit);
    }

    /**
     * Waits for a line of the log.
     *
     * @param mark where to begin, from {@link #mark()}
     * @param regex found anywhere in the line
     * @return the first such line
     * @throws IllegalStateException if the time is over or the server has ended without it; the message has the end of the
     *     log
     */
    public String awaitMessage(long mark, String regex, Duration limit) {
        return awaitLine(messages.linesFrom(mark), Pattern.compile(regex), deadline(limit));
    }

    /** Stops the server in order and deletes its user directory if that is a temporary one. */
    @Override
    public void close() {
        try {
            stop();
        } finally {
            guard.close();
        }
    }

    private void awaitStarted() {
        long deadline = deadline(START_LIMIT);
        awaitLine(messages.linesFrom(0), READY, deadline);
        LogFile.Lines lines = messages.linesFrom(0);
        for (int i = 0; i < applications; i++) {
            String outcome = awaitLine(lines, APPLICATION_OUTCOME, deadline);
            if (!APPLICATION_STARTED.matcher(outcome).find()) {
                throw failure("an application failed to start");
            }
        }
        lines = messages.linesFrom(0);
        for (int i = 0; i < resourceAdapters; i++) {
            awaitLine(lines, ADAPTER_INSTALLED, deadline);
        }
    }

    private String awaitLine(LogFile.Lines lines, Pattern wanted, long deadline) {
        ServerProcess current = process;
        boolean over = false;
        while (true) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (wanted.matcher(line).find()) {
                    return line;
                }
            }
            if (over) {
                throw failure("no message " + wanted + (isAlive() ? " came in time" : " before the server ended"));
            }
            // One last look follows the end.
            over = current == null || current.awaitExit(POLL) || System.nanoTime() > deadline;
        }
    }

    private static long deadline(Duration limit) {
        return System.nanoTime() + limit.toNanos();
    }

    private IllegalStateException failure(String what) {
        LogFile telling = messages.size() > 0 ? messages : console;
        return new IllegalStateException(
                "Open Liberty server " + name + ": " + what + "; its log ends with:\n" + telling.tail());
    }

    /** Collects what a server is made of. */
    public static final class Builder {

        private final Path wlpHome;
        private final String name;
        private final List<String> jvmOptions = new ArrayList<>(List.of("-Xmx512m"));
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final Map<String, String> variables = new LinkedHashMap<>();
        private final Map<String, Path> applications = new LinkedHashMap<>();
        private Path userDirectory;
        private String serverXml;

        private Builder(Path wlpHome, String name) {
            this.wlpHome = wlpHome.toAbsolutePath();
            this.name = name;
        }

        /**
         * Sets the whole text of {@code server.xml}; needed unless the user directory has one. The HTTP endpoint is to take its
         * ports from the variables <code>${http.port}</code>, a free one, and <code>${https.port}</code>, -1, so that HTTPS is
         * off.
         */
        public Builder serverXml(String text) {
            this.serverXml = text;
            return this;
        }

        /** Sets {@code WLP_USER_DIR}, which then outlives the server; by default a temporary directory. */
        public Builder userDirectory(Path directory) {
            this.userDirectory = directory;
            return this;
        }

        /** Adds an environment variable to those of this JVM. */
        public Builder env(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** Adds an option of the server's JVM after {@code -Xmx512m}, so another {@code -Xmx} wins. */
        public Builder jvmOption(String option) {
            jvmOptions.add(option);
            return this;
        }

        /** Adds a variable for {@code server.xml}, through {@code bootstrap.properties}. */
        public Builder variable(String name, String value) {
            variables.put(name, value);
            return this;
        }

        /** Copies an archive into {@code apps} under this name; {@code server.xml} has to refer to it. */
        public Builder application(Path archive, String fileName) {
            applications.put(fileName, archive);
            return this;
        }

        /** Lays out the server's directory; the server is not started yet. */
        public LibertyServer build() {
            try {
                LibertyServer server = new LibertyServer(this);
                try {
                    Map<String, String> variables = new LinkedHashMap<>();
                    variables.put("http.port", Integer.toString(server.httpPort));
                    variables.put("https.port", "-1");
                    variables.putAll(this.variables);
                    server.directory.layOut(serverXml, variables, applications);
                } catch (IOException | RuntimeException e) {
                    server.close();
                    throw e;
                }
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot lay out the server " + name, e);
            }
        }
    }
}
