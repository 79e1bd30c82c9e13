package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(60)
class RecoveryXAResourceTest {

    private static final int WHOLE_SCAN = XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN;

    private QueueFixture fixture;
    private RecoveryXAResource recovery;

    @BeforeEach
    void setUp() throws Exception {
        fixture = QueueFixture.withoutSchema();
        fixture.execute("create table entry (n int)");
        recovery = new RecoveryXAResource(fixture::database);
    }

    @AfterEach
    void tearDown() throws Exception {
        fixture.close();
    }

    private static XAException fails(int code, Executable call) {
        XAException error = assertThrows(XAException.class, call);
        assertEquals(code, error.errorCode, error.getMessage());
        return error;
    }

    private void prepare(String gid) throws SQLException {
        prepare(fixture, gid, "");
    }

    private static void prepare(QueueFixture where, String gid, String before) throws SQLException {
        try (Connection connection = where.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(before + ";insert into entry values (1)");
            statement.execute("prepare transaction '" + gid + "'");
        }
    }

    @Test
    @DisplayName("What another resource prepared is listed and can be committed, once")
    void commitsOfOthers() throws Exception {
        Gid xid = TestTransaction.newXid();
        TestBranch branch = new TestBranch(fixture);
        BranchXAResource resource = new BranchXAResource(branch, fixture.database());
        resource.start(xid, XAResource.TMNOFLAGS);
        branch.execute("insert into entry values (1)");
        resource.end(xid, XAResource.TMSUCCESS);
        resource.prepare(xid);
        branch.close();

        assertArrayEquals(new Xid[] {xid}, recovery.recover(WHOLE_SCAN));
        recovery.commit(xid, false);
        assertEquals("1", fixture.query("select count(*) from entry"));
        assertEquals(0, recovery.recover(WHOLE_SCAN).length);
        fails(XAException.XAER_NOTA, () -> recovery.commit(xid, false));
        fails(XAException.XAER_NOTA, () -> recovery.rollback(xid));
        assertEquals("1", fixture.query("select count(*) from entry"));
    }

    @Test
    @DisplayName("What another resource prepared can be rolled back, once")
    void rollsBackOfOthers() throws Exception {
        Gid xid = TestTransaction.newXid();
        prepare(xid.toString());
        recovery.rollback(xid);
        assertEquals("0", fixture.query("select count(*) from entry"));
        fails(XAException.XAER_NOTA, () -> recovery.rollback(xid));
        fails(XAException.XAER_NOTA, () -> recovery.forget(xid));
    }

    @Test
    @DisplayName("Branches of other databases and names of other programs are not listed")
    void onlyOurs() throws Exception {
        Gid ours = TestTransaction.newXid();
        Gid elsewhere = TestTransaction.newXid();
        try (QueueFixture otherDatabase = QueueFixture.withoutSchema()) {
            otherDatabase.execute("create table entry (n int)");
            prepare(ours.toString());
            prepare("somebody else's".replace("'", "''"));
            prepare("1_2_3_4");
            prepare(otherDatabase, elsewhere.toString(), "");

            assertArrayEquals(new Xid[] {ours}, recovery.recover(WHOLE_SCAN));
            fails(XAException.XAER_RMFAIL, () -> recovery.commit(elsewhere, false));

            new RecoveryXAResource(otherDatabase::database).rollback(elsewhere);
            recovery.rollback(ours);
            fixture.execute("rollback prepared 'somebody else''s'");
            fixture.execute("rollback prepared '1_2_3_4'");
        }
    }

    @Test
    @DisplayName("Branches that this role may not finish are not listed")
    void onlyOfOurRole() throws Exception {
        Gid owners = TestTransaction.newXid();
        Gid own = TestTransaction.newXid();
        fixture.execute("drop role if exists recoverer");
        fixture.execute("create role recoverer login");
        fixture.execute("grant insert on entry to recoverer");
        try {
            prepare(owners.toString());
            prepare(fixture, own.toString(), "set session authorization recoverer");
            RecoveryXAResource limited =
                    new RecoveryXAResource(() -> new Database(fixture.settings(Map.of(Setting.USER, "recoverer"))));
            assertArrayEquals(new Xid[] {own}, limited.recover(WHOLE_SCAN));
            limited.rollback(own);
            assertArrayEquals(new Xid[] {owners}, recovery.recover(WHOLE_SCAN));
        } finally {
            fixture.execute("rollback prepared '" + owners + "'");
            fixture.execute("drop owned by recoverer");
            fixture.execute("drop role recoverer");
        }
    }

    @Test
    @DisplayName("A scan is answered at its start and not again at its end")
    void scan() throws Exception {
        Gid xid = TestTransaction.newXid();
        prepare(xid.toString());
        assertArrayEquals(new Xid[] {xid}, recovery.recover(XAResource.TMSTARTRSCAN));
        assertEquals(0, recovery.recover(XAResource.TMNOFLAGS).length);
        assertEquals(0, recovery.recover(XAResource.TMENDRSCAN).length);
        recovery.rollback(xid);
    }

    @Test
    @DisplayName("Many branches are listed each once")
    void many() throws Exception {
        Set<Gid> xids = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Gid xid = TestTransaction.newXid();
            xids.add(xid);
            prepare(xid.toString());
        }
        Xid[] listed = recovery.recover(WHOLE_SCAN);
        assertEquals(20, listed.length);
        assertEquals(xids, Set.of(listed));
        for (Xid xid : listed) {
            recovery.commit(xid, false);
        }
        assertEquals("20", fixture.query("select count(*) from entry"));
    }

    @Test
    @DisplayName("It keeps no session between its calls")
    void noSession() throws Exception {
        Gid xid = TestTransaction.newXid();
        prepare(xid.toString());
        recovery.recover(WHOLE_SCAN);
        recovery.rollback(xid);
        fails(XAException.XAER_NOTA, () -> recovery.rollback(xid));
        fixture.await(
                "0",
                "select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name like 'sluice%'");
    }

    @Test
    @DisplayName("It takes no part in transactions of its own")
    void noBranches() {
        Gid xid = TestTransaction.newXid();
        fails(XAException.XAER_PROTO, () -> recovery.start(xid, XAResource.TMNOFLAGS));
        fails(XAException.XAER_PROTO, () -> recovery.end(xid, XAResource.TMSUCCESS));
        fails(XAException.XAER_PROTO, () -> recovery.prepare(xid));
        fails(XAException.XAER_PROTO, () -> recovery.commit(xid, true));
        assertTrue(recovery.isSameRM(recovery));
        assertFalse(recovery.isSameRM(new RecoveryXAResource(fixture::database)));
    }

    @Test
    @DisplayName("Without a database, or with one that is down, everything is XAER_RMFAIL, to be tried again")
    void noDatabase() {
        Gid xid = TestTransaction.newXid();
        RecoveryXAResource unconfigured = new RecoveryXAResource(() -> {
            throw new SQLException("not configured yet", "08001");
        });
        RecoveryXAResource down = new RecoveryXAResource(
                () -> new Database(fixture.settings(Map.of(Setting.URL, "jdbc:postgresql://127.0.0.1:1/none"))));
        for (RecoveryXAResource one : new RecoveryXAResource[] {unconfigured, down}) {
            fails(XAException.XAER_RMFAIL, () -> one.recover(WHOLE_SCAN));
            fails(XAException.XAER_RMFAIL, () -> one.commit(xid, false));
            fails(XAException.XAER_RMFAIL, () -> one.rollback(xid));
        }
    }

    @Test
    @DisplayName(
            "After a crash of PostgreSQL the prepared branches are there; with max_prepared_transactions 0 none can be"
                    + " prepared, and the error names that setting")
    void serverOfItsOwn() throws Exception {
        try (PostgresServer server = PostgresVersion.standard().builder().start();
                QueueFixture own = new QueueFixture(server)) {
            own.execute("create table entry (n int)");
            Gid xid = TestTransaction.newXid();
            prepare(own, xid.toString(), "");
            server.restart(StopMode.IMMEDIATE);
            RecoveryXAResource there = new RecoveryXAResource(own::database);
            assertArrayEquals(new Xid[] {xid}, there.recover(WHOLE_SCAN));
            there.commit(xid, false);
            own.await("1", "select count(*) from entry");

            own.execute("alter system set max_prepared_transactions = 0");
            server.restart(StopMode.FAST);
            own.await("0", "show max_prepared_transactions");
            TestBranch branch = new TestBranch(own);
            BranchXAResource resource = new BranchXAResource(branch, own.database());
            resource.start(xid, XAResource.TMNOFLAGS);
            branch.execute("insert into entry values (2)");
            resource.end(xid, XAResource.TMSUCCESS);
            XAException error = fails(XAException.XA_RBROLLBACK, () -> resource.prepare(xid));
            assertTrue(error.getMessage().contains("Set max_prepared_transactions to"), error.getMessage());
            assertEquals(Branch.Outcome.ROLLED_BACK, branch.outcome);
            assertEquals("1", own.query("select count(*) from entry"));
            branch.close();
        }
    }
}
