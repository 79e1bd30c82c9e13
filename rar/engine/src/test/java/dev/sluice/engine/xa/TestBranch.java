package dev.sluice.engine.xa;

import dev.sluice.engine.CuttingProxy;
import dev.sluice.engine.QueueFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A branch on a connection of its own that remembers how it ended. */
final class TestBranch implements Branch {

    interface Last {
        void piece(TestBranch branch) throws SQLException, RefusedException;
    }

    private final QueueFixture fixture;
    private Connection open;
    private Connection last;
    Last lastPiece = branch -> {};
    Boolean decision;
    Outcome outcome;
    boolean usable;
    int ends;

    TestBranch(QueueFixture fixture) {
        this.fixture = fixture;
    }

    /** Works in the branch, on a connection through this proxy. */
    void executeThrough(CuttingProxy proxy, String sql) throws SQLException {
        begin(fixture.databaseThrough(proxy).open("test"));
        execute(sql);
    }

    private void begin(Connection connection) throws SQLException {
        open = connection;
        last = connection;
        open.setAutoCommit(false);
    }

    /** Works in the branch. */
    void execute(String sql) throws SQLException {
        if (open == null) {
            begin(fixture.connect());
        }
        try (Statement statement = open.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The connection that it worked on last. */
    Connection connection() {
        return last;
    }

    void close() throws SQLException {
        if (last != null) {
            last.close();
        }
    }

    @Override
    public Connection open() {
        return open;
    }

    @Override
    public void beforeCompletion() throws SQLException, RefusedException {
        lastPiece.piece(this);
    }

    @Override
    public Boolean decide() {
        return decision;
    }

    @Override
    public void completed(Outcome how, boolean canBeUsed) {
        outcome = how;
        usable = canBeUsed;
        open = null;
        ends++;
    }
}
