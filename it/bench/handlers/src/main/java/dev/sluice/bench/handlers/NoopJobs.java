package dev.sluice.bench.handlers;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Queue {@code noop}: does nothing, so what is measured is the delivery. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "noop"))
public class NoopJobs implements JobListener {

    @OnJob("enter")
    public void enter(NumberedJob job) {}
}
