package dev.sluice.rar;

import dev.sluice.api.JobContext;
import dev.sluice.engine.queue.Job;
import java.time.Instant;

/** What a handler sees of a claimed job. */
record ClaimedJobContext(Job job) implements JobContext {

    @Override
    public long id() {
        return job.id();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public String kind() {
        return job.kind();
    }

    @Override
    public int attempt() {
        return job.attempt() + 1;
    }

    @Override
    public Instant enqueuedAt() {
        return job.enqueuedAt();
    }
}
