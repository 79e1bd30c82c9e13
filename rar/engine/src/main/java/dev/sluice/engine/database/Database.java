package dev.sluice.engine.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Opens physical connections to the database of the queue. */
public final class Database {

    private final Settings settings;

    public Database(Settings settings) {
        this.settings = settings;
    }

    public Schema schema() {
        return settings.schema();
    }

    /**
     * Opens a connection in autocommit and READ COMMITTED, whatever the role's default.
     *
     * @param purpose shown in {@code pg_stat_activity} behind "sluice "
     */
    public Connection open(String purpose) throws SQLException {
        Connection connection = dataSource(purpose).getConnection();
        try {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** A source of connections without a pool, for libraries that want one. */
    public DataSource dataSource(String purpose) {
        return source(purpose);
    }

    /** Opens a connection whose every answer is waited for this long at most, in seconds. */
    public Connection openWithTimeout(String purpose, int seconds) throws SQLException {
        PGSimpleDataSource source = source(purpose);
        source.setSocketTimeout(seconds);
        // a claim is worth preparing the first time
        source.setPrepareThreshold(1);
        Connection connection = source.getConnection();
        try (Statement statement = connection.createStatement()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            // whatever the role's defaults are, and before the socket gives up
            statement.execute("set statement_timeout = '" + seconds / 2 + "s'; set lock_timeout = '5s'");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private PGSimpleDataSource source(String purpose) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(settings.get(Setting.URL));
        if (settings.get(Setting.USER) != null) {
            source.setUser(settings.get(Setting.USER));
        }
        if (settings.get(Setting.PASSWORD) != null) {
            source.setPassword(settings.get(Setting.PASSWORD));
        }
        source.setApplicationName("sluice " + purpose);
        source.setConnectTimeout(10);
        source.setTcpKeepAlive(true);
        return source;
    }
}
