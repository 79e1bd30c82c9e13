package dev.sluice.it.container.app;

import jakarta.annotation.Resource;
import jakarta.batch.api.AbstractBatchlet;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Named;
import jakarta.transaction.UserTransaction;
import javax.sql.DataSource;

/** A batchlet that uses the data source: without a transaction, and in one that it begins itself. */
@Dependent
@Named
public class NotesBatchlet extends AbstractBatchlet {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Resource
    private UserTransaction transaction;

    @Override
    public String process() throws Exception {
        Notes.write(dataSource, 0, 0, "batchlet without");
        transaction.begin();
        Notes.write(dataSource, 0, 0, "batchlet rolled back");
        transaction.rollback();
        transaction.begin();
        Notes.write(dataSource, 0, 0, "batchlet committed");
        transaction.commit();
        return "done";
    }
}
