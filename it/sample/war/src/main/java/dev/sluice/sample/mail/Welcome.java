package dev.sluice.sample.mail;

/**
 * The payload of a welcome mail's job.
 *
 * @param recipient whom it goes to
 */
public record Welcome(String recipient) {}
