package dev.sluice.sample.mail;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A mail that was sent: {@code create table sent_mail (job bigint primary key, recipient text)}. */
@Entity
@Table(name = "sent_mail")
public class SentMail {

    @Id
    private long job;

    private String recipient;

    /** For Jakarta Persistence. */
    protected SentMail() {}

    /** The mail that this job sent. */
    public SentMail(long job, String recipient) {
        this.job = job;
        this.recipient = recipient;
    }
}
