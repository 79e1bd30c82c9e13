package dev.sluice.bench.site;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;

/** Connects to PostgreSQL. */
final class Login {

    private Login() {}

    static Connection connect(String url, String user, String password, String application, String options)
            throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("ApplicationName", application);
        properties.setProperty("connectTimeout", "10");
        if (!options.isEmpty()) {
            properties.setProperty("options", options);
        }
        return new Driver().connect(url, properties);
    }
}
