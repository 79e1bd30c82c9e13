package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.CapturedLog;
import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.QueueFixture;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Branches whose connection breaks, before the server has heard what it is to do or before we hear its answer. */
@Timeout(60)
class LostAnswerTest extends BranchTestCase {

    private void terminate() throws Exception {
        String pid = String.valueOf(
                branch.connection().unwrap(org.postgresql.PGConnection.class).getBackendPID());
        fixture.execute("select pg_terminate_backend(" + pid + ")");
        fixture.await("0", "select count(*) from pg_stat_activity where pid = " + pid);
    }

    @Test
    @DisplayName("A one-phase commit whose answer was lost is decided: committed")
    void lostButCommitted() throws Exception {
        work("insert into entry values (1)");
        terminate();
        branch.decision = true;
        resource.commit(xid, true);
        assertEnded(Branch.Outcome.COMMITTED, false);
    }

    @Test
    @DisplayName("A one-phase commit whose answer was lost is decided: rolled back")
    void lostAndRolledBack() throws Exception {
        work("insert into entry values (1)");
        terminate();
        branch.decision = false;
        fails(XAException.XA_RBCOMMFAIL, () -> resource.commit(xid, true));
        assertEnded(Branch.Outcome.ROLLED_BACK, false);
    }

    @Test
    @DisplayName(
            "A one-phase commit whose answer was lost and cannot be decided is XAER_RMFAIL, and the log says what is not"
                    + " known")
    void lostAndUnknown() throws Exception {
        work("insert into entry values (1)");
        terminate();
        String process = String.valueOf(
                branch.connection().unwrap(org.postgresql.PGConnection.class).getBackendPID());
        List<String> log = CapturedLog.of(
                BranchXAResource.class, () -> fails(XAException.XAER_RMFAIL, () -> resource.commit(xid, true)));
        assertEquals(1, log.size(), log.toString());
        assertTrue(
                log.get(0).contains("not known whether transaction " + xid + " was committed")
                        && log.get(0).contains("process " + process + ":"),
                log.toString());
        assertEnded(Branch.Outcome.UNKNOWN, false);
    }

    @Test
    @DisplayName("A prepare that never came to pass is rolled back by name, and its broken connection not used again")
    void lostPrepare() throws Exception {
        work("insert into entry values (1)");
        terminate();
        fails(XAException.XAER_RMFAIL, () -> resource.prepare(xid));
        assertTrue(resource.inDoubt());
        try {
            resource.rollback(xid);
        } catch (XAException e) {
            assertEquals(XAException.XAER_NOTA, e.errorCode);
        }
        assertFalse(resource.inDoubt());
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, false);
    }

    @Test
    @DisplayName("A prepare whose answer was lost is rolled back by name, and its broken connection not used again")
    void lostAnswerOfPrepare() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port())) {
            start();
            branch.executeThrough(proxy, "insert into entry values (1)");
            resource.end(xid, XAResource.TMSUCCESS);
            proxy.cut("prepare transaction", CuttingProxy.Moment.AFTER_ANSWER);
            fails(XAException.XAER_RMFAIL, () -> resource.prepare(xid));
            assertEquals("1", prepared());
            resource.rollback(xid);
            assertEntries(0);
            assertEnded(Branch.Outcome.ROLLED_BACK, false);
        }
    }

    @Test
    @DisplayName("A rollback on a broken connection is one all the same, and the connection is not used again")
    void lostRollback() throws Exception {
        work("insert into entry values (1)");
        terminate();
        resource.rollback(xid);
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, false);
    }

    @Test
    @DisplayName("A second phase that cannot reach the server is XAER_RMFAIL, to be tried again")
    void secondPhaseUnreachable() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port())) {
            BranchXAResource through = preparedThrough(proxy);
            proxy.refuse(true);
            proxy.cutAll();
            fails(XAException.XAER_RMFAIL, () -> through.commit(xid, false));
            assertEquals(0, branch.ends, "it is still prepared");
            assertTrue(through.inDoubt());
            proxy.refuse(false);
            through.commit(xid, false);
            assertEntries(1);
            assertEquals(Branch.Outcome.COMMITTED, branch.outcome);
            assertFalse(branch.usable, "its connection broke");
        }
    }

    @ParameterizedTest
    @EnumSource(CuttingProxy.Moment.class)
    @DisplayName("A second phase whose connection breaks in the middle is done all the same, or can be asked for again")
    void secondPhaseBroken(CuttingProxy.Moment moment) throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(QueueFixture.postgres().port())) {
            BranchXAResource through = preparedThrough(proxy);
            proxy.cut("commit prepared", moment);
            // a transaction manager asks again after XAER_RMFAIL, but takes XAER_NOTA for a heuristic outcome
            for (int tries = 0; through.inDoubt(); tries++) {
                try {
                    through.commit(xid, false);
                } catch (XAException e) {
                    assertEquals(XAException.XAER_RMFAIL, e.errorCode, e.getMessage());
                    assertTrue(tries < 100, e.getMessage());
                }
            }
            assertEquals(Branch.Outcome.COMMITTED, branch.outcome);
            fixture.await("1", "select count(*) from entry");
            assertEquals("0", prepared());
        }
    }

    private BranchXAResource preparedThrough(CuttingProxy proxy) throws Exception {
        BranchXAResource through = new BranchXAResource(branch, fixture.databaseThrough(proxy));
        through.start(xid, XAResource.TMNOFLAGS);
        branch.executeThrough(proxy, "insert into entry values (1)");
        through.end(xid, XAResource.TMSUCCESS);
        assertEquals(XAResource.XA_OK, through.prepare(xid));
        return through;
    }
}
