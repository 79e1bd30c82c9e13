package dev.sluice.it.container.app;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Notes what must be kept whatever becomes of the caller's transaction. */
@Stateless
@TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
public class ApartNotes {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    public void write(long job, int attempt) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Notes.write(connection, job, attempt, "apart " + Notes.backend(connection));
        }
    }

    /** What another transaction's connection says when it is used here; "none" if it works. */
    public String writeOn(Connection connection, long job, int attempt) {
        try {
            Notes.write(connection, job, attempt, "apart on a connection of another transaction");
            return "none";
        } catch (SQLException e) {
            return e.getMessage();
        }
    }
}
