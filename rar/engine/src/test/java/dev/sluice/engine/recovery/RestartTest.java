package dev.sluice.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.schema.Migrator;
import dev.sluice.engine.xa.Gid;
import dev.sluice.engine.xa.RecoveryXAResource;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What needs a PostgreSQL of its own: one that crashes, and one whose roles are those that we recommend. */
@Timeout(120)
class RestartTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresVersion.standard().builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    @DisplayName(
            "PostgreSQL crashes between prepare and verdict, and again before it is carried out: it is, all the same")
    void crashes() throws Exception {
        try (QueueFixture fixture = new QueueFixture(server)) {
            Doubt doubt = new Doubt(fixture);
            String wanted = doubt.prepare();
            String unwanted = doubt.prepare();
            server.restart(StopMode.IMMEDIATE);
            fixture.await("2", "select count(*) from sluice.in_doubt");
            doubt.resolve(wanted, "commit");
            doubt.resolve(unwanted, "rollback");
            server.restart(StopMode.IMMEDIATE);
            fixture.await("2", "select count(*) from sluice.in_doubt where verdict is not null");
            fixture.engine();
            fixture.await("0", "select count(*) from sluice.resolution where done_at is null");
            assertEquals("1", doubt.entries());
            assertEquals("2", fixture.query("select count(*) from sluice.resolution where outcome = verdict"));
        }
    }

    @Test
    @DisplayName("Ended, then PostgreSQL and the node crash before that is noted: how it ended is found out, and told")
    void crashesBeforeNoting() throws Exception {
        try (QueueFixture fixture = new QueueFixture(server)) {
            Doubt doubt = new Doubt(fixture);
            Gid xid = TestTransaction.newXid();
            doubt.prepare(xid.toString());
            doubt.resolve(xid.toString(), "commit");
            fixture.execute("commit prepared '" + xid + "'");
            server.restart(StopMode.IMMEDIATE);
            fixture.await("0", "select count(*) from sluice.in_doubt");
            XAException told =
                    assertThrows(XAException.class, () -> new RecoveryXAResource(fixture::database).rollback(xid));
            assertEquals(XAException.XA_HEURCOM, told.errorCode);
            fixture.engine();
            fixture.await("commit", "select outcome from sluice.resolution where done_at is not null");
            assertEquals("1", doubt.entries());
        }
    }

    @Test
    @DisplayName(
            "With the roles and grants of server-config a member of the servers' role resolves, and a producer cannot")
    void roles() throws Exception {
        try (QueueFixture fixture = new QueueFixture(server)) {
            fixture.execute("drop schema sluice cascade");
            fixture.execute(config("roles.sql"));
            fixture.execute("create role app login in role sluice_runtime");
            fixture.execute("create role operator login in role app");
            fixture.execute("create role producer login in role sluice_producer");
            new Migrator(new Database(fixture.settings(Map.of(Setting.USER, "sluice_owner")))).migrate();
            fixture.execute(config("grants.sql"));
            Doubt doubt = new Doubt(fixture);
            String gid = TestTransaction.newXid().toString();
            doubt.prepareAs("app", gid);

            assertEquals("42501", refused(fixture, "producer", "select count(*) from sluice.in_doubt"));
            assertEquals("42501", refused(fixture, "producer", "select sluice.resolve('" + gid + "', 'commit')"));
            run(fixture, "operator", "select * from sluice.in_doubt");
            run(fixture, "operator", "select sluice.resolve('" + gid + "', 'commit')");
            assertEquals("operator", doubt.record("requested_by", gid));

            Engine engine = fixture.engine(Map.of(Setting.USER, "app", Setting.MIGRATE, "false"));
            fixture.await("1", "select count(*) from entry");
            fixture.await("commit", "select outcome from sluice.resolution");
            assertTrue(engine.status().inDoubt() >= 0, engine.status().toString());
            assertEquals("42501", refused(fixture, "producer", "select sluice.forget('" + gid + "')"));
            run(fixture, "operator", "select sluice.forget('" + gid + "')");
            assertEquals("t", doubt.record("forgotten_at is not null", gid));
        }
    }

    private static String config(String file) throws Exception {
        return Files.readString(Path.of("../../server-config", file));
    }

    private static void run(QueueFixture fixture, String role, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(fixture.url(), role, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String refused(QueueFixture fixture, String role, String sql) {
        return assertThrows(SQLException.class, () -> run(fixture, role, sql)).getSQLState();
    }
}
