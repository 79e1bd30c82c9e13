package dev.sluice.api;

/**
 * The listener interface of a message-driven bean that handles jobs.
 *
 * <p>It has no methods on purpose (Enterprise Beans 4.0, section 5.4.3): the bean's public methods annotated with
 * {@link OnJob} are the handlers.
 */
public interface JobListener {}
