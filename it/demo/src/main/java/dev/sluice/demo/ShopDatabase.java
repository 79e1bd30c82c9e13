package dev.sluice.demo;

import dev.sluice.launcher.PostgresServer;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.UUID;

/**
 * A PostgreSQL with the recommended settings and the recommended roles, and the shop's database in it. Its passwords are
 * made up anew each time: other users of this machine can reach its port.
 */
final class ShopDatabase implements AutoCloseable {

    /** The role that takes orders and owns the business data. */
    static final String SHOP = "shop";

    /** The role of the server. */
    static final String SLUICE_OWNER = "sluice_owner";

    private static final String NAME = "shop";

    private final Path serverConfig;
    private final String password;
    private final PostgresServer server;

    private ShopDatabase(Path serverConfig, String password, PostgresServer server) {
        this.serverConfig = serverConfig;
        this.password = password;
        this.server = server;
    }

    static ShopDatabase start(Path serverConfig) throws IOException, SQLException {
        String password = UUID.randomUUID().toString();
        PostgresServer.Builder builder = PostgresServer.builder().password(password);
        Properties settings = recommendedSettings(Files.readString(serverConfig.resolve("postgresql.conf")));
        settings.stringPropertyNames().forEach(name -> builder.setting(name, settings.getProperty(name)));
        PostgresServer server = builder.start();
        try {
            ShopDatabase database = new ShopDatabase(serverConfig, password, server);
            database.create();
            return database;
        } catch (IOException | SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** What a {@code postgresql.conf} sets: {@code name = value} lines, values perhaps quoted, comments after #. */
    static Properties recommendedSettings(String configuration) throws IOException {
        Properties settings = new Properties();
        settings.load(new StringReader(configuration.replaceAll("\\s+#.*", "")));
        settings.replaceAll((name, value) -> value.toString().replaceAll("^'|'$", ""));
        return settings;
    }

    private void create() throws IOException, SQLException {
        server.createDatabase(NAME);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(serverConfig.resolve("roles.sql")));
            statement.execute(resource("shop-roles.sql"));
            for (String role : new String[] {SHOP, SLUICE_OWNER}) {
                statement.execute("alter role " + role + " login password '" + password + "'");
            }
        }
    }

    /** Gives the roles their rights on the tables, which the server has created by now. */
    void grant() throws IOException, SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(serverConfig.resolve("grants.sql")));
        }
    }

    private static String resource(String name) throws IOException {
        try (var file = ShopDatabase.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** A connection of the superuser, who sees all sessions. */
    Connection connect() throws SQLException {
        return server.connect(NAME);
    }

    String url() {
        return server.jdbcUrl(NAME);
    }

    /** The password of all roles. */
    String password() {
        return password;
    }

    @Override
    public void close() {
        server.close();
    }
}
