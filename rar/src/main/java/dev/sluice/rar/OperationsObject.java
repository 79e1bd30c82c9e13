package dev.sluice.rar;

import dev.sluice.api.Admission;
import dev.sluice.api.NodeStatus;
import dev.sluice.api.Operations;

/** The administered object {@code sluice/operations}. */
public final class OperationsObject extends AdministeredObject implements Operations {

    private static final long serialVersionUID = 1L;

    @Override
    public Admission admission() {
        return adapter().engine().admission();
    }

    @Override
    public NodeStatus status() {
        return adapter().engine().status();
    }
}
