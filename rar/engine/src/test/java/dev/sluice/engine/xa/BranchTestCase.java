package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestTransaction;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** One branch, and another to come after it, on a table of one column. */
abstract class BranchTestCase {

    static QueueFixture fixture;

    TestBranch branch;
    BranchXAResource resource;
    final Gid xid = TestTransaction.newXid();
    final Gid other = TestTransaction.newXid();

    @BeforeAll
    static void createDatabase() throws Exception {
        fixture = QueueFixture.withoutSchema();
        fixture.execute("create table entry (n int primary key deferrable initially deferred)");
    }

    @AfterAll
    static void dropDatabase() throws Exception {
        fixture.close();
    }

    @BeforeEach
    void setUp() {
        branch = new TestBranch(fixture);
        resource = new BranchXAResource(branch, fixture.database());
    }

    @AfterEach
    void tearDown() throws Exception {
        branch.close();
        fixture.assertNothingPrepared();
        fixture.execute("truncate entry");
    }

    static XAException fails(int code, Executable call) {
        XAException error = assertThrows(XAException.class, call);
        assertEquals(code, error.errorCode, error.getMessage());
        return error;
    }

    void start() throws Exception {
        resource.start(xid, XAResource.TMNOFLAGS);
    }

    void work(String sql) throws Exception {
        start();
        branch.execute(sql);
        resource.end(xid, XAResource.TMSUCCESS);
    }

    void assertEntries(int expected) throws SQLException {
        assertEquals(String.valueOf(expected), fixture.query("select count(*) from entry"));
    }

    String prepared() throws SQLException {
        return fixture.query("select count(*) from pg_prepared_xacts where database = current_database()");
    }

    void assertEnded(Branch.Outcome outcome, boolean usable) throws Exception {
        assertEquals(outcome, branch.outcome);
        assertEquals(usable, branch.usable);
        assertEquals(1, branch.ends, "ended once");
        assertEquals("0", prepared());
        assertFalse(resource.active());
        if (usable && branch.connection() != null) {
            assertTrue(branch.connection().getAutoCommit(), "given back in autocommit");
        }
        // and the next may begin
        resource.start(other, XAResource.TMNOFLAGS);
        resource.rollback(other);
    }
}
