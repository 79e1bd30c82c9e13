package dev.sluice.api;

/** A job as it is in the queue, for handlers that read the payload themselves. Valid for the length of the handler's call. */
public interface Job extends JobContext {

    /** The payload as JSON text; the text {@code null} if the job has none. */
    String payload();
}
