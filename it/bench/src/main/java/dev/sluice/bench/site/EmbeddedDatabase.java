package dev.sluice.bench.site;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.ServerParameters;
import dev.sluice.launcher.PostgresServer;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A PostgreSQL of the run's own, with the recommended settings except those of autovacuum, which are PostgreSQL's. Its
 * password is made up anew: other users of this machine can reach its port.
 */
final class EmbeddedDatabase implements Database {

    private static final int OTHER_SESSIONS = 100;

    private final String password;
    private final PostgresServer server;

    private EmbeddedDatabase(String password, PostgresServer server) {
        this.password = password;
        this.server = server;
    }

    static EmbeddedDatabase start(CommonOptions options) throws SQLException, SiteException {
        String password = UUID.randomUUID().toString();
        PostgresServer.Builder builder = PostgresServer.builder().password(password);
        settings(options).forEach(builder::setting);
        ServerParameters asked = options.parameters();
        asked.values().forEach(builder::setting);
        EmbeddedDatabase database = new EmbeddedDatabase(password, start(builder, asked));
        try {
            database.server.createDatabase(QUEUE);
            database.server.createDatabase(APART);
            return database;
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    private static PostgresServer start(PostgresServer.Builder builder, ServerParameters asked) throws SiteException {
        try {
            return builder.start();
        } catch (IllegalStateException e) {
            if (asked.values().isEmpty() || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            throw new ParametersRefusedException(
                    "Invalid value for option '--pg': PostgreSQL does not start with it: " + complaint(e), e);
        }
    }

    /** The line of the server's log that says what it does not like. */
    private static String complaint(IllegalStateException failure) {
        String[] lines = failure.getMessage().split("\n");
        for (String line : lines) {
            if (line.matches(".*(unrecognized|invalid value|outside the valid range|requires|FATAL).*")) {
                return line.replaceFirst("^.*?(LOG|FATAL|ERROR|WARNING): +", "").replaceFirst(" in file .*", "");
            }
        }
        return lines[0];
    }

    /**
     * Each worker may have three connections: for the delivery, for the settlement, and for the database apart; those of a
     * node that was killed may be open for a moment yet.
     */
    private static Map<String, String> settings(CommonOptions options) {
        int workers = Math.max(options.workers(), options.queues());
        int sessions = OTHER_SESSIONS + options.producers() + 4 * workers;
        Map<String, String> settings = new TreeMap<>();
        Properties recommended = recommended();
        recommended.stringPropertyNames().stream()
                .filter(name -> !name.startsWith("autovacuum"))
                .forEach(name -> settings.put(name, recommended.getProperty(name)));
        settings.put("max_connections", Integer.toString(sessions));
        settings.put("max_prepared_transactions", Integer.toString(sessions));
        return settings;
    }

    /** What server-config/postgresql.conf says: {@code name = value} lines, values perhaps quoted, comments after #. */
    private static Properties recommended() {
        Properties settings = new Properties();
        try {
            settings.load(new StringReader(Installation.text("postgresql.conf").replaceAll("\\s+#.*", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        settings.replaceAll((name, value) -> value.toString().replaceAll("^'|'$", ""));
        return settings;
    }

    @Override
    public String url(String name) {
        return server.jdbcUrl(name);
    }

    @Override
    public String user() {
        return PostgresServer.USER;
    }

    @Override
    public String password() {
        return password;
    }

    @Override
    public void close() {
        server.close();
    }
}
