package dev.sluice.sample.mail;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** Sends mails. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "queue", propertyValue = "mail"))
public class MailJobs implements JobListener {

    @PersistenceContext(unitName = "mail")
    private EntityManager entities;

    /** Welcomes somebody, and notes it in the transaction in which the job goes. */
    @OnJob("welcome")
    public void welcome(Welcome mail, JobContext job) {
        entities.persist(new SentMail(job.id(), mail.recipient()));
    }
}
