package dev.sluice.engine.model;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The jobs that were committed: each has to run, once, and none besides. */
final class Expectation {

    private final Set<Long> committed = new HashSet<>();

    void committed(Collection<Long> ids) {
        committed.addAll(ids);
    }

    /** Compares with the ledger, which handlers wrote in their transactions, and begins anew. */
    void verify(Connection connection) throws SQLException {
        List<Long> uncalledFor = new ArrayList<>();
        Set<Long> missing = new HashSet<>(committed);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("delete from ledger returning job")) {
            while (row.next()) {
                long id = row.getLong(1);
                if (!missing.remove(id)) {
                    uncalledFor.add(id);
                }
            }
        }
        if (!missing.isEmpty() || !uncalledFor.isEmpty()) {
            throw new AssertionError(
                    "lost: " + missing + "; run twice, or without having been committed: " + uncalledFor);
        }
        committed.clear();
    }
}
