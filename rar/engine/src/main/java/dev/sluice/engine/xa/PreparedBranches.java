package dev.sluice.engine.xa;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/** The second phase of two-phase commit, and recovery: both work from the name of a prepared transaction alone. */
final class PreparedBranches {

    /** Only of this database, since others can be finished only there, and only what this role may finish. */
    private static final String LIST = """
            /* sluice:recover */
            select gid from pg_prepared_xacts
            where database = current_database() and pg_has_role(current_user, owner, 'member')
            """;

    /** Where connections for a short while come from. */
    interface ConnectionSource {
        Connection open() throws SQLException;
    }

    private final ConnectionSource source;

    PreparedBranches(ConnectionSource source) {
        this.source = source;
    }

    /** @param own an idle connection that may be used for it; null for a new one */
    void commit(Gid xid, Connection own) throws XAException {
        finish("commit prepared", xid, own);
    }

    /** @param own an idle connection that may be used for it; null for a new one */
    void rollback(Gid xid, Connection own) throws XAException {
        finish("rollback prepared", xid, own);
    }

    private void finish(String verb, Gid xid, Connection own) throws XAException {
        try {
            if (own != null) {
                // not again on another when its answer is lost: then it may be done
                execute(verb, xid, own);
                return;
            }
            try (Connection connection = source.open()) {
                execute(verb, xid, connection);
            }
        } catch (SQLException e) {
            throw XAErrors.secondPhase(verb, xid, e);
        }
    }

    private static void execute(String verb, Gid xid, Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(verb + " '" + xid + "'");
        }
    }

    Xid[] list() throws XAException {
        List<Xid> found = new ArrayList<>();
        try (Connection connection = source.open();
                PreparedStatement query = connection.prepareStatement(LIST);
                ResultSet row = query.executeQuery()) {
            while (row.next()) {
                Gid.parse(row.getString(1)).ifPresent(found::add);
            }
        } catch (SQLException e) {
            throw XAErrors.error(XAException.XAER_RMFAIL, "recovery", "prepared transactions", e);
        }
        return found.toArray(Xid[]::new);
    }
}
