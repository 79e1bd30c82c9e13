package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.CapturedLog;
import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.recovery.Doubt;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules of XA for branches that a person decided (X/Open CAE specification C193, xa_commit, xa_rollback, xa_recover,
 * xa_forget), one by one.
 */
@Timeout(60)
class HeuristicTest {

    private static final int WHOLE_SCAN = XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN;
    private static final String ROLE = "heuristic_test";

    private QueueFixture fixture;
    private Doubt doubt;
    private RecoveryXAResource recovery;
    private TestBranch branch;
    private BranchXAResource resource;
    private final Gid xid = TestTransaction.newXid();

    @BeforeEach
    void setUp() throws Exception {
        fixture = new QueueFixture();
        doubt = new Doubt(fixture);
        recovery = new RecoveryXAResource(fixture::database);
        branch = new TestBranch(fixture);
        resource = new BranchXAResource(branch, fixture.database());
    }

    @AfterEach
    void tearDown() throws Exception {
        branch.close();
        fixture.close();
    }

    private static XAException fails(int code, Executable call) {
        XAException error = assertThrows(XAException.class, call);
        assertEquals(code, error.errorCode, error.getMessage());
        return error;
    }

    private static void ask(String what, XAResource of, Gid xid) throws XAException {
        if (what.equals("commit")) {
            of.commit(xid, false);
        } else {
            of.rollback(xid);
        }
    }

    private static int reported(String verdict) {
        return verdict.equals("commit") ? XAException.XA_HEURCOM : XAException.XA_HEURRB;
    }

    /** Brings the branch of {@link #resource} to where it waits for its second phase. */
    private void prepareBranch() throws Exception {
        prepareBranch(resource);
    }

    private void prepareBranch(BranchXAResource of) throws Exception {
        of.start(xid, XAResource.TMNOFLAGS);
        branch.execute("insert into entry values (1)");
        of.end(xid, XAResource.TMSUCCESS);
        assertEquals(XAResource.XA_OK, of.prepare(xid));
    }

    @ParameterizedTest
    @CsvSource({"commit, commit", "commit, rollback", "rollback, commit", "rollback, rollback"})
    @DisplayName(
            "A coordinator that comes back is told how its branch was completed, whatever it asks for, until it forgets")
    void toldUntilForgotten(String verdict, String asked) throws Exception {
        doubt.prepare(xid.toString());
        doubt.decide(xid.toString(), verdict);
        for (int time = 0; time < 2; time++) {
            assertArrayEquals(new Xid[] {xid}, recovery.recover(WHOLE_SCAN));
            List<String> log = CapturedLog.of(PreparedBranches.class, () -> {
                XAException error = fails(reported(verdict), () -> ask(asked, recovery, xid));
                assertTrue(error.getMessage().contains("resolved by hand"), error.getMessage());
                assertTrue(error.getMessage().contains(xid.toString()), error.getMessage());
            });
            assertEquals(verdict.equals(asked) ? 0 : 1, log.size(), log.toString());
            assertTrue(
                    log.stream().allMatch(line -> line.contains(xid.toString()) && line.contains("asks for " + asked)),
                    log.toString());
        }
        assertNull(doubt.record("forgotten_at", xid.toString()));

        recovery.forget(xid);

        assertEquals("t", doubt.record("forgotten_at is not null and done_at is not null", xid.toString()));
        assertEquals(0, recovery.recover(WHOLE_SCAN).length);
        fails(XAException.XAER_NOTA, () -> ask(asked, recovery, xid));
        fails(XAException.XAER_NOTA, () -> recovery.forget(xid));
        assertEquals(verdict.equals("commit") ? "1" : "0", doubt.entries());
    }

    @ParameterizedTest
    @CsvSource({"commit, commit", "commit, rollback", "rollback, commit", "rollback, rollback"})
    @DisplayName("The resource that prepared it is told the same; its branch has ended so, and the next may begin")
    void ownBranch(String verdict, String asked) throws Exception {
        prepareBranch();
        doubt.decide(xid.toString(), verdict);
        fails(reported(verdict), () -> ask(asked, resource, xid));
        assertEquals(verdict.equals("commit") ? Branch.Outcome.COMMITTED : Branch.Outcome.ROLLED_BACK, branch.outcome);
        assertEquals(1, branch.ends);
        assertTrue(branch.usable);
        assertFalse(resource.inDoubt());
        fails(reported(verdict), () -> ask(asked, resource, xid));
        resource.forget(xid);
        fails(XAException.XAER_NOTA, () -> ask(asked, resource, xid));
        assertEquals(1, branch.ends, "ended once");

        Gid next = TestTransaction.newXid();
        resource.start(next, XAResource.TMNOFLAGS);
        resource.rollback(next);
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback"})
    @DisplayName("It is told also when the node that ended the branch could not note that any more")
    void notNotedYet(String verdict) throws Exception {
        doubt.prepare(xid.toString());
        doubt.resolve(xid.toString(), verdict);
        fixture.execute(verdict + " prepared '" + xid + "'");
        assertArrayEquals(new Xid[] {xid}, recovery.recover(WHOLE_SCAN));
        fails(reported(verdict), () -> recovery.commit(xid, false));
        fails(reported(verdict), () -> recovery.rollback(xid));
        recovery.forget(xid);
        fails(XAException.XAER_NOTA, () -> recovery.commit(xid, false));
    }

    @Test
    @DisplayName("Where nobody knows how it was completed it is a heuristic hazard")
    void hazard() throws Exception {
        fixture.execute("insert into sluice.resolution (gid, transaction, verdict) values ('" + xid
                + "', '9000000000000000', 'commit')");
        fails(XAException.XA_HEURHAZ, () -> recovery.commit(xid, false));
        fails(XAException.XA_HEURHAZ, () -> recovery.rollback(xid));
        recovery.forget(xid);
        fails(XAException.XAER_NOTA, () -> recovery.rollback(xid));
    }

    @Test
    @DisplayName(
            "A coordinator that comes back before its branch is completed decides it; the record says who was quicker")
    void coordinatorIsQuicker() throws Exception {
        doubt.prepare(xid.toString());
        doubt.resolve(xid.toString(), "rollback");
        assertArrayEquals(new Xid[] {xid}, recovery.recover(WHOLE_SCAN), "listed once");
        recovery.commit(xid, false);
        fixture.engine();
        fixture.await("t", "select done_at is not null from sluice.resolution");
        assertEquals("t", doubt.record("outcome = 'commit' and error is not null", xid.toString()));
        assertEquals(0, recovery.recover(WHOLE_SCAN).length, "nothing heuristic happened");
        fails(XAException.XAER_NOTA, () -> recovery.rollback(xid));
        assertEquals("1", doubt.entries());
    }

    @Test
    @DisplayName("What is not completed cannot be forgotten: XAER_PROTO, and it stays as it is")
    void forgetTooEarly() throws Exception {
        fails(XAException.XAER_NOTA, () -> recovery.forget(xid));
        doubt.prepare(xid.toString());
        fails(XAException.XAER_PROTO, () -> recovery.forget(xid));
        doubt.resolve(xid.toString(), "commit");
        fails(XAException.XAER_PROTO, () -> recovery.forget(xid));
        assertNull(doubt.record("forgotten_at", xid.toString()));
        assertTrue(doubt.isPrepared(xid.toString()));
        recovery.rollback(xid);
    }

    @Test
    @DisplayName("A branch that is still active, or only ended, knows nothing of heuristics")
    void wrongOrder() throws Exception {
        fails(XAException.XAER_NOTA, () -> resource.forget(xid));
        resource.start(xid, XAResource.TMNOFLAGS);
        branch.execute("insert into entry values (1)");
        fails(XAException.XAER_NOTA, () -> resource.forget(xid));
        resource.end(xid, XAResource.TMSUCCESS);
        fails(XAException.XAER_NOTA, () -> resource.forget(xid));
        resource.prepare(xid);
        fails(XAException.XAER_PROTO, () -> resource.forget(xid));
        resource.commit(xid, false);
        fails(XAException.XAER_NOTA, () -> resource.forget(xid));
        assertEquals("1", doubt.entries());
    }

    @Test
    @DisplayName("A coordinator of another branch hears nothing of it")
    void otherBranch() throws Exception {
        doubt.prepare(xid.toString());
        doubt.decide(xid.toString(), "commit");
        Gid other = TestTransaction.newXid();
        fails(XAException.XAER_NOTA, () -> recovery.commit(other, false));
        fails(XAException.XAER_NOTA, () -> recovery.forget(other));
        doubt.prepare(other.toString());
        recovery.rollback(other);
        assertNull(doubt.record("forgotten_at", xid.toString()));
    }

    @Test
    @DisplayName("A name that is prepared again after it was resolved is a branch like any other")
    void nameGivenAgain() throws Exception {
        doubt.prepare(xid.toString());
        doubt.decide(xid.toString(), "rollback");
        doubt.prepare(xid.toString());
        assertArrayEquals(new Xid[] {xid}, recovery.recover(WHOLE_SCAN));
        recovery.commit(xid, false);
        assertEquals("1", doubt.entries());
    }

    @Test
    @DisplayName("A commit that never arrived is not taken for done when a person rolled the branch back meanwhile")
    void askedInVain() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port())) {
            BranchXAResource through = new BranchXAResource(branch, fixture.databaseThrough(proxy));
            prepareBranch(through);
            proxy.refuse(true);
            branch.connection().close();
            fails(XAException.XAER_RMFAIL, () -> through.commit(xid, false));
            doubt.decide(xid.toString(), "rollback");
            proxy.refuse(false);
            fails(XAException.XA_HEURRB, () -> through.commit(xid, false));
            assertEquals(Branch.Outcome.ROLLED_BACK, branch.outcome);
            through.forget(xid);
        }
    }

    @Test
    @DisplayName(
            "A role that may not read what was decided asks again rather than guess, and still sees what is prepared")
    void withoutRight() throws Exception {
        fixture.execute("drop role if exists " + ROLE);
        fixture.execute("create role " + ROLE + " login");
        try {
            Gid prepared = TestTransaction.newXid();
            doubt.prepareAs(ROLE, prepared.toString());
            doubt.prepare(xid.toString());
            doubt.decide(xid.toString(), "commit");
            fixture.execute("grant usage on schema sluice to " + ROLE);
            RecoveryXAResource limited =
                    new RecoveryXAResource(() -> new Database(fixture.settings(Map.of(Setting.USER, ROLE))));
            assertArrayEquals(new Xid[] {prepared}, limited.recover(WHOLE_SCAN));
            XAException error = fails(XAException.XAER_RMFAIL, () -> limited.commit(xid, false));
            assertTrue(error.getMessage().contains("Grant the right"), error.getMessage());
            fails(XAException.XAER_RMFAIL, () -> limited.forget(xid));
            limited.rollback(prepared);
        } finally {
            fixture.execute("drop owned by " + ROLE);
            fixture.execute("drop role " + ROLE);
        }
    }

    @Test
    @DisplayName("A member of the role that prepared a branch can end it, and works as itself afterwards")
    void member() throws Exception {
        fixture.execute("drop role if exists " + ROLE + ", heuristic_owner");
        fixture.execute("create role " + ROLE + " login");
        fixture.execute("create role heuristic_owner");
        fixture.execute("grant heuristic_owner to " + ROLE);
        try {
            doubt.prepareAs("heuristic_owner", xid.toString());
            RecoveryXAResource limited =
                    new RecoveryXAResource(() -> new Database(fixture.settings(Map.of(Setting.USER, ROLE))));
            assertArrayEquals(new Xid[] {xid}, limited.recover(WHOLE_SCAN));
            limited.commit(xid, false);
            assertEquals("1", doubt.entries());
        } finally {
            fixture.execute("drop owned by " + ROLE + ", heuristic_owner");
            fixture.execute("drop role " + ROLE + ", heuristic_owner");
        }
    }

    /** The calls of a transaction manager that recovers, each with a word of the statement that serves it. */
    enum Call {
        COMMIT("commit prepared", "commit"),
        ROLLBACK("rollback prepared", "rollback"),
        RECOVER("sluice:recover", null),
        RECOVER_DECIDED("sluice:completed", null),
        TOLD("sluice:heuristic", "rollback"),
        FORGET("sluice:forget", "forget");

        private final String word;
        private final String asked;

        Call(String word, String asked) {
            this.word = word;
            this.asked = asked;
        }

        void of(XAResource resource, Gid xid) throws XAException {
            if (asked == null) {
                assertArrayEquals(new Xid[] {xid}, resource.recover(WHOLE_SCAN));
            } else if (asked.equals("forget")) {
                resource.forget(xid);
            } else {
                ask(asked, resource, xid);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    @DisplayName("A session that an administrator ends in the middle is XAER_RMFAIL, and the next call does it")
    void terminated(Call call) throws Exception {
        doubt.prepare(xid.toString());
        boolean decided = call == Call.TOLD || call == Call.FORGET || call == Call.RECOVER_DECIDED;
        if (decided) {
            doubt.decide(xid.toString(), "commit");
        }
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port())) {
            RecoveryXAResource through = new RecoveryXAResource(() -> fixture.databaseThrough(proxy));
            String session =
                    " from pg_stat_activity where datname = current_database() and application_name = 'sluice recovery'";
            proxy.before(call.word, () -> {
                fixture.execute("select pg_terminate_backend(pid)" + session);
                fixture.await("0", "select count(*)" + session);
                return null;
            });
            XAException error = fails(XAException.XAER_RMFAIL, () -> call.of(through, xid));
            assertEquals("57P01", ((SQLException) error.getCause()).getSQLState());
            if (call == Call.TOLD) {
                fails(XAException.XA_HEURCOM, () -> call.of(through, xid));
            } else {
                call.of(through, xid);
            }
        }
        if (doubt.isPrepared(xid.toString())) {
            recovery.rollback(xid);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"commit", "rollback"})
    @DisplayName("The same in the second phase of the resource that prepared it")
    void terminatedSecondPhase(String asked) throws Exception {
        prepareBranch();
        int pid = branch.connection().unwrap(org.postgresql.PGConnection.class).getBackendPID();
        fixture.execute("select pg_terminate_backend(" + pid + ")");
        fixture.await("0", "select count(*) from pg_stat_activity where pid = " + pid);
        XAException error = fails(XAException.XAER_RMFAIL, () -> ask(asked, resource, xid));
        assertEquals("57P01", ((SQLException) error.getCause()).getSQLState());
        assertTrue(resource.inDoubt());
        ask(asked, resource, xid);
        assertFalse(resource.inDoubt());
        assertEquals(asked.equals("commit") ? "1" : "0", doubt.entries());
    }
}
