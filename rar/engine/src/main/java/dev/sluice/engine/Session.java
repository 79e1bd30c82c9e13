package dev.sluice.engine;

import dev.sluice.engine.admission.PermitQueue;
import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.delivery.Dispatcher;
import dev.sluice.engine.delivery.Workplace;
import dev.sluice.engine.queue.Take;
import dev.sluice.engine.queue.Transitions;
import dev.sluice.engine.recovery.InDoubtWatch;
import dev.sluice.engine.rotation.Maintenance;
import dev.sluice.engine.rotation.Rotation;
import dev.sluice.engine.schema.Migrator;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** What a node has from when it is configured, and its schema up to date, to its end, whatever connections break. */
record Session(
        Settings settings,
        Workplace workplace,
        Connections admissions,
        PermitQueue permits,
        InDoubtWatch inDoubtWatch,
        Dispatcher dispatcher,
        Maintenance maintenance) {

    private static final Logger LOG = System.getLogger(Session.class.getName());

    /** A row may be locked by a transaction that is in doubt: then the rescue decides later. */
    private static final String SETTLE = "set lock_timeout = '5s'; set statement_timeout = '30s'";

    /** A table that is used in turn may keep others waiting for 50 ms: it waits for the TOAST tables of two. */
    private static final String ROTATE = "set lock_timeout = '25ms'; set statement_timeout = '30s'";

    /**
     * Brings the schema up to date, or makes sure that it is.
     *
     * @param node   the number of the node as it is now
     * @param judges whether the node may take others for dead
     */
    static Session open(Settings settings, LongSupplier node, BooleanSupplier judges) throws SQLException {
        Database database = new Database(settings);
        Migrator migrator = new Migrator(database);
        announce(database, settings.migrate() ? migrator.migrate() : migrator.check());
        Connections admissions = new Connections(database, () -> "admission", SETTLE);
        return new Session(
                settings,
                new Workplace(
                        database,
                        // named after the node, by which others end them when it is dead
                        new Connections(database, () -> "delivery " + node.getAsLong(), ""),
                        new Connections(database, () -> "settlement", SETTLE),
                        new Take(settings.schema()),
                        new Transitions(settings.schema())),
                admissions,
                new PermitQueue(admissions, settings.schema(), node, judges),
                new InDoubtWatch(database),
                new Dispatcher(settings.pollInterval()),
                new Maintenance(new Connections(database, () -> "rotation", ROTATE), new Rotation(settings.schema())));
    }

    private static void announce(Database database, String version) throws SQLException {
        try (Connection connection = database.open("start");
                Statement statement = connection.createStatement();
                ResultSet setting = statement.executeQuery("show max_prepared_transactions")) {
            DatabaseMetaData metaData = connection.getMetaData();
            LOG.log(
                    Level.INFO,
                    "Sluice uses {0} on PostgreSQL {1}, schema {2}, version {3}",
                    Settings.withoutParameters(metaData.getURL()),
                    metaData.getDatabaseProductVersion(),
                    database.schema().name(),
                    version);
            setting.next();
            if (setting.getInt(1) == 0) {
                LOG.log(
                        Level.WARNING,
                        "max_prepared_transactions is 0: a handler that uses a second XA resource can never commit. Set it to"
                                + " the number of handlers that may run at once, and restart PostgreSQL");
            }
        }
    }

    /** What is wrong although jobs are delivered, for a person; null if nothing is known. */
    String warning() {
        return maintenance.problem();
    }

    void close() {
        maintenance.close();
        workplace.connections().close();
        workplace.settlements().close();
        admissions.close();
    }
}
