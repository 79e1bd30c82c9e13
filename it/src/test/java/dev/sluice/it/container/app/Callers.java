package dev.sluice.it.container.app;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.inject.spi.CDI;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A session bean that uses the data source outside any job. */
@Stateless
public class Callers {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    /** Writes twice in the container's transaction, and fails if it is told to. */
    public void writeTwice(String text, boolean fail) throws SQLException {
        Notes.write(dataSource, 0, 0, text);
        Notes.write(dataSource, 0, 0, text);
        if (fail) {
            throw new IllegalStateException("told to");
        }
    }

    /** Writes twice without a transaction, and fails if it is told to. */
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void writeTwiceWithout(String text, boolean fail) throws SQLException {
        writeTwice(text, fail);
    }

    /** As {@link #writeTwice}, in a bean of CDI. */
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void writeTwiceByCdi(String text, boolean fail) throws SQLException {
        CDI.current().select(CdiNotes.class).get().writeTwice(text, fail);
    }
}
