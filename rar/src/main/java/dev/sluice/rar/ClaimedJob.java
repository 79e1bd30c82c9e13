package dev.sluice.rar;

import dev.sluice.api.Job;
import java.time.Instant;

/** What a handler sees of a claimed job. */
record ClaimedJob(dev.sluice.engine.queue.Job job) implements Job {

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

    @Override
    public String payload() {
        return job.payload();
    }
}
