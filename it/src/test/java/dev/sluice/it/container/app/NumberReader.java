package dev.sluice.it.container.app;

import jakarta.batch.api.chunk.AbstractItemReader;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Named;
import java.io.Serializable;

/** Reads the numbers from 1 to 10. */
@Dependent
@Named
public class NumberReader extends AbstractItemReader {

    private int last;

    @Override
    public void open(Serializable checkpoint) {
        last = checkpoint == null ? 0 : (Integer) checkpoint;
    }

    @Override
    public Object readItem() {
        return last == 10 ? null : ++last;
    }

    @Override
    public Serializable checkpointInfo() {
        return last;
    }
}
