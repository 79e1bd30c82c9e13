package dev.sluice.it.app;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Queue {@code broken}: a bean that cannot be made. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "queue", propertyValue = "broken"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "3"),
            @ActivationConfigProperty(propertyName = "backoffMillis", propertyValue = "200")
        })
public class BrokenJobs implements JobListener {

    public BrokenJobs() {
        throw new IllegalStateException("this bean cannot be made");
    }

    @OnJob("nothing")
    public void nothing() {}
}
