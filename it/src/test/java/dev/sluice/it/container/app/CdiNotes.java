package dev.sluice.it.container.app;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A bean of CDI that uses the data source in a transaction of its method. */
@ApplicationScoped
public class CdiNotes {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    /** Writes twice, and fails if it is told to. */
    @Transactional
    public void writeTwice(String text, boolean fail) throws SQLException {
        Notes.write(dataSource, 0, 0, text);
        Notes.write(dataSource, 0, 0, text);
        if (fail) {
            throw new IllegalStateException("told to");
        }
    }
}
