package dev.sluice.bench.handlers;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** Queue {@code jpa}: writes by Jakarta Persistence on {@code sluice/ds}. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "jpa"))
public class JpaJobs implements JobListener {

    @PersistenceContext(unitName = "ledger")
    private EntityManager entities;

    @OnJob("enter")
    public void enter(NumberedJob job) {
        entities.persist(new LedgerRow("jpa", job));
    }
}
