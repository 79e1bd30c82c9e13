package dev.sluice.it.container.app;

import jakarta.annotation.Resource;
import jakarta.batch.api.chunk.AbstractItemWriter;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Named;
import java.util.List;
import javax.sql.DataSource;

/** Writes the items of a chunk through the data source, and fails once it has written 8. */
@Dependent
@Named
public class NoteWriter extends AbstractItemWriter {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    @Override
    public void writeItems(List<Object> items) throws Exception {
        for (Object item : items) {
            Notes.write(dataSource, 0, 0, "chunk " + item);
            if (item.equals(8)) {
                throw new IllegalStateException("eight");
            }
        }
    }
}
