package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of XA (X/Open CAE specification, chapter 6, tables of states and return codes), one by one. */
@Timeout(60)
class BranchXAResourceTest extends BranchTestCase {

    /** How a branch can be brought to its commit. */
    enum Phases {
        ONE {
            @Override
            void complete(BranchXAResource resource, Gid xid) throws XAException {
                resource.commit(xid, true);
            }
        },
        TWO {
            @Override
            void complete(BranchXAResource resource, Gid xid) throws XAException {
                assertEquals(XAResource.XA_OK, resource.prepare(xid));
                resource.commit(xid, false);
            }
        };

        abstract void complete(BranchXAResource resource, Gid xid) throws XAException;
    }

    private static void rollsBack(XAException error) {
        assertTrue(
                error.errorCode >= XAException.XA_RBBASE && error.errorCode <= XAException.XA_RBEND, error.toString());
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("What a branch did is there when it has committed, not before")
    void commits(Phases phases) throws Exception {
        work("insert into entry values (1)");
        assertEntries(0);
        phases.complete(resource, xid);
        assertEntries(1);
        assertEnded(Branch.Outcome.COMMITTED, true);
    }

    @Test
    @DisplayName("A branch is active between its start and its end")
    void active() throws Exception {
        assertFalse(resource.active());
        start();
        assertTrue(resource.active());
        resource.end(xid, XAResource.TMSUCCESS);
        assertFalse(resource.active());
        resource.rollback(xid);
    }

    @Test
    @DisplayName("A prepared branch survives its connection")
    void preparedSurvives() throws Exception {
        work("insert into entry values (1)");
        assertEquals(XAResource.XA_OK, resource.prepare(xid));
        assertEquals("1", prepared());
        assertEquals(
                xid.toString(), fixture.query("select gid from pg_prepared_xacts where database = current_database()"));
        branch.connection().close();
        resource.commit(xid, false);
        assertEntries(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"active", "ended", "prepared"})
    @DisplayName("A branch can be rolled back in every state")
    void rollsBack(String state) throws Exception {
        start();
        branch.execute("insert into entry values (1)");
        if (!state.equals("active")) {
            resource.end(xid, XAResource.TMSUCCESS);
        }
        if (state.equals("prepared")) {
            resource.prepare(xid);
        }
        resource.rollback(xid);
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @Test
    @DisplayName("A branch in which nothing was done votes read-only")
    void readOnly() throws Exception {
        start();
        resource.end(xid, XAResource.TMSUCCESS);
        assertEquals(XAResource.XA_RDONLY, resource.prepare(xid));
        assertEnded(Branch.Outcome.COMMITTED, true);
    }

    @Test
    @DisplayName("A branch in which nothing was done commits in one phase without a connection")
    void nothingDone() throws Exception {
        start();
        resource.end(xid, XAResource.TMSUCCESS);
        resource.commit(xid, true);
        assertNull(branch.connection());
        assertEnded(Branch.Outcome.COMMITTED, true);
    }

    @Test
    @DisplayName("A joined branch goes on where it ended")
    void joins() throws Exception {
        work("insert into entry values (1)");
        resource.start(xid, XAResource.TMJOIN);
        assertTrue(resource.active());
        branch.execute("insert into entry values (2)");
        resource.end(xid, XAResource.TMSUCCESS);
        resource.commit(xid, true);
        assertEntries(2);
    }

    @Test
    @DisplayName("Calls in the wrong order are XAER_PROTO, and the branch goes on as if they had not been made")
    void wrongOrder() throws Exception {
        fails(XAException.XAER_PROTO, () -> resource.end(xid, XAResource.TMSUCCESS));
        fails(XAException.XAER_PROTO, () -> resource.prepare(xid));
        fails(XAException.XAER_PROTO, () -> resource.commit(xid, true));
        start();
        branch.execute("insert into entry values (1)");
        fails(XAException.XAER_PROTO, () -> resource.start(xid, XAResource.TMNOFLAGS));
        fails(XAException.XAER_PROTO, () -> resource.start(other, XAResource.TMNOFLAGS));
        fails(XAException.XAER_PROTO, () -> resource.end(other, XAResource.TMSUCCESS));
        fails(XAException.XAER_PROTO, () -> resource.prepare(xid));
        fails(XAException.XAER_PROTO, () -> resource.commit(xid, true));
        fails(XAException.XAER_INVAL, () -> resource.start(xid, XAResource.TMJOIN));
        resource.end(xid, XAResource.TMSUCCESS);
        fails(XAException.XAER_PROTO, () -> resource.end(xid, XAResource.TMSUCCESS));
        fails(XAException.XAER_PROTO, () -> resource.start(other, XAResource.TMNOFLAGS));
        fails(XAException.XAER_PROTO, () -> resource.prepare(other));
        fails(XAException.XAER_PROTO, () -> resource.commit(other, true));
        fails(XAException.XAER_INVAL, () -> resource.start(other, XAResource.TMJOIN));
        assertEquals(XAResource.XA_OK, resource.prepare(xid));
        fails(XAException.XAER_PROTO, () -> resource.start(other, XAResource.TMNOFLAGS));
        fails(XAException.XAER_PROTO, () -> resource.end(xid, XAResource.TMSUCCESS));
        fails(XAException.XAER_PROTO, () -> resource.prepare(xid));
        fails(XAException.XAER_PROTO, () -> resource.commit(xid, true));
        assertEquals(0, branch.ends);
        resource.commit(xid, false);
        assertEntries(1);
        fails(XAException.XAER_PROTO, () -> resource.commit(xid, true));
        assertEnded(Branch.Outcome.COMMITTED, true);
    }

    @Test
    @DisplayName("Flags that PostgreSQL cannot serve are XAER_INVAL")
    void flags() throws Exception {
        fails(XAException.XAER_INVAL, () -> resource.start(xid, XAResource.TMRESUME));
        start();
        fails(XAException.XAER_INVAL, () -> resource.end(xid, XAResource.TMSUSPEND));
        assertTrue(resource.active());
        resource.rollback(xid);
    }

    @Test
    @DisplayName("The second phase of a branch that was never prepared is XAER_NOTA")
    void unknown() throws Exception {
        fails(XAException.XAER_NOTA, () -> resource.commit(xid, false));
        fails(XAException.XAER_NOTA, () -> resource.rollback(xid));
        fails(XAException.XAER_NOTA, () -> resource.forget(xid));
        assertEquals(0, branch.ends);
    }

    @Test
    @DisplayName("The second phase of a branch that is not yet prepared commits nothing")
    void secondPhaseTooEarly() throws Exception {
        work("insert into entry values (1)");
        assertThrows(XAException.class, () -> resource.commit(xid, false));
        assertEntries(0);
        resource.rollback(xid);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @Test
    @DisplayName("A prepared branch that another resource has finished is XAER_NOTA here")
    void finishedElsewhere() throws Exception {
        work("insert into entry values (1)");
        resource.prepare(xid);
        new RecoveryXAResource(fixture::database).commit(xid, false);
        fails(XAException.XAER_NOTA, () -> resource.commit(xid, false));
        assertEntries(1);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A transaction that failed is never taken for committed, though the error was swallowed")
    void failed(Phases phases) throws Exception {
        start();
        branch.execute("insert into entry values (1)");
        assertThrows(SQLException.class, () -> branch.execute("select 1 / 0"));
        resource.end(xid, XAResource.TMSUCCESS);
        XAException error = assertThrows(XAException.class, () -> phases.complete(resource, xid));
        rollsBack(error);
        assertTrue(error.getMessage().contains("swallowed"), error.getMessage());
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A failed statement that was undone by a savepoint does no harm")
    void savepoint(Phases phases) throws Exception {
        start();
        branch.execute("insert into entry values (1)");
        branch.execute("savepoint s");
        assertThrows(SQLException.class, () -> branch.execute("select 1 / 0"));
        branch.execute("rollback to savepoint s");
        resource.end(xid, XAResource.TMSUCCESS);
        phases.complete(resource, xid);
        assertEntries(1);
        assertEnded(Branch.Outcome.COMMITTED, true);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A branch whose end was marked as failed does not commit")
    void endedAsFailed(Phases phases) throws Exception {
        start();
        branch.execute("insert into entry values (1)");
        resource.end(xid, XAResource.TMFAIL);
        rollsBack(assertThrows(XAException.class, () -> phases.complete(resource, xid)));
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A constraint that is violated at the commit is XA_RBINTEGRITY")
    void deferredConstraint(Phases phases) throws Exception {
        work("insert into entry values (1), (1)");
        XAException error = fails(XAException.XA_RBINTEGRITY, () -> phases.complete(resource, xid));
        assertTrue(error.getMessage().contains("entry_pkey"), error.getMessage());
        assertTrue(error.getMessage().contains(xid.toString()), error.getMessage());
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A serialization failure at the commit is a rollback that may be tried again")
    void serializationFailure(Phases phases) throws Exception {
        start();
        branch.execute("set transaction isolation level serializable");
        branch.execute("select count(*) from entry");
        try (Connection rival = fixture.connect();
                Statement statement = rival.createStatement()) {
            rival.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            rival.setAutoCommit(false);
            statement.execute("select count(*) from entry");
            statement.execute("insert into entry values (2)");
            branch.execute("insert into entry values (1)");
            rival.commit();
        }
        resource.end(xid, XAResource.TMSUCCESS);
        fails(XAException.XA_RBTRANSIENT, () -> phases.complete(resource, xid));
        assertEntries(1);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("The last piece of work rides in the branch")
    void lastPiece(Phases phases) throws Exception {
        branch.lastPiece = one -> one.execute("insert into entry values (2)");
        work("insert into entry values (1)");
        phases.complete(resource, xid);
        assertEntries(2);
    }

    @ParameterizedTest
    @EnumSource(Phases.class)
    @DisplayName("A last piece of work that refuses, or fails, rolls the branch back with its reason")
    void refused(Phases phases) throws Exception {
        branch.lastPiece = one -> {
            throw new Branch.RefusedException("the reason");
        };
        work("insert into entry values (1)");
        XAException refused = fails(XAException.XA_RBROLLBACK, () -> phases.complete(resource, xid));
        assertTrue(refused.getMessage().contains("the reason"), refused.getMessage());
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);

        branch.ends = 0;
        branch.lastPiece = one -> one.execute("select 1 / 0");
        work("insert into entry values (1)");
        XAException failed = assertThrows(XAException.class, () -> phases.complete(resource, xid));
        rollsBack(failed);
        assertTrue(failed.getMessage().contains("division by zero"), failed.getMessage());
        assertEntries(0);
        assertEnded(Branch.Outcome.ROLLED_BACK, true);
    }

    @Test
    @DisplayName("Two resources are two branches")
    void identity() {
        assertTrue(resource.isSameRM(resource));
        assertFalse(resource.isSameRM(new BranchXAResource(branch, fixture.database())));
    }

    @Test
    @DisplayName(
            "A branch is overdue when it is active for longer than its transaction may last, and never without a limit")
    void overdue() throws Exception {
        assertTrue(resource.setTransactionTimeout(1));
        assertEquals(1, resource.getTransactionTimeout());
        resource.start(xid, XAResource.TMNOFLAGS);
        assertFalse(resource.overdue(Duration.ofMinutes(1)));
        assertTrue(resource.overdue(Duration.ofSeconds(-1)));
        resource.end(xid, XAResource.TMSUCCESS);
        assertFalse(resource.overdue(Duration.ofSeconds(-1)), "the handler has ended");
        resource.rollback(xid);

        assertTrue(resource.setTransactionTimeout(0));
        resource.start(xid, XAResource.TMNOFLAGS);
        assertFalse(resource.overdue(Duration.ofSeconds(-1)));
        resource.rollback(xid);
        assertEquals(
                XAException.XAER_INVAL,
                assertThrows(XAException.class, () -> resource.setTransactionTimeout(-1)).errorCode);
    }
}
