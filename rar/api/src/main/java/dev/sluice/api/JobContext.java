package dev.sluice.api;

import java.time.Instant;

/** What a handler may know of the job it was given. Valid for the length of the handler's call. */
public interface JobContext {

    /** The identity of the job, as {@link JobQueue#enqueue} returned it; the same in every attempt. */
    long id();

    /** The queue that the job was taken from. */
    String queue();

    /** The kind of the job. */
    String kind();

    /** The number of this attempt, 1 for the first. */
    int attempt();

    /** When the job was enqueued, on the database's clock. */
    Instant enqueuedAt();
}
