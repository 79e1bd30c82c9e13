package dev.sluice.bench.pin;

import dev.sluice.bench.measure.Ticker;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A transaction that has written in another database. By itself it holds nothing back here: PostgreSQL looks at the
 * transactions of a table's own database only. But every snapshot that is taken here reaches back to it, so that ordinary short
 * reads, one always under way, hold back for as long as it lasts what each alone would for a second. That it stands still is
 * seen in what a VACUUM says.
 */
final class OtherDatabasePin implements Pin {

    private static final Duration READ = Duration.ofSeconds(1);

    private static final String VACUUM = "/* bench:pin proof */ vacuum (verbose) bench.pin";
    private static final Pattern CUTOFF = Pattern.compile("removable cutoff: (\\d+)");

    private final Connection writer;
    private final Connection witness;
    private final long transaction;
    private final Ticker relay = new Ticker("reads beside the pin", READ, this::readOn);
    private Connection reading;
    private Connection next;
    private volatile SQLException failure;

    private OtherDatabasePin(Database database) throws SQLException {
        writer = database.connect(Database.APART, "sluice-bench pin", "");
        writer.setAutoCommit(false);
        transaction = write(writer);
        witness = database.connect(Database.QUEUE);
        reading = reader(database);
        next = reader(database);
        read(reading);
    }

    static OtherDatabasePin hold(Database database) throws SQLException {
        OtherDatabasePin pin = new OtherDatabasePin(database);
        pin.relay.start();
        return pin;
    }

    private static long write(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into bench.ledger (number, queue) values (0, 'pin')");
            try (ResultSet row = statement.executeQuery("select pg_current_xact_id()::xid::text::bigint")) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static Connection reader(Database database) throws SQLException {
        Connection connection = database.connect(Database.QUEUE, "sluice-bench reader", "");
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        return connection;
    }

    private static void read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("/* bench:read */ select 1");
        }
    }

    /** One read begins before the other ends. */
    private void readOn() {
        try {
            read(next);
            reading.commit();
            Connection ended = reading;
            reading = next;
            next = ended;
        } catch (SQLException e) {
            failure = e;
        }
    }

    @Override
    public boolean active() throws SQLException {
        if (failure != null) {
            throw failure;
        }
        return cutoff() <= transaction;
    }

    private long cutoff() throws SQLException {
        try (Statement statement = witness.createStatement()) {
            statement.execute(VACUUM);
            for (SQLWarning said = statement.getWarnings(); said != null; said = said.getNextWarning()) {
                Matcher cutoff = CUTOFF.matcher(said.getMessage());
                if (cutoff.find()) {
                    return Long.parseLong(cutoff.group(1));
                }
            }
            throw new SQLException("VACUUM does not say what it could remove");
        }
    }

    @Override
    public void close() throws SQLException {
        relay.close();
        for (Connection connection : new Connection[] {writer, reading, next}) {
            Pin.end(connection);
        }
        witness.close();
    }
}
