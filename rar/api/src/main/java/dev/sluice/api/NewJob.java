package dev.sluice.api;

import java.time.Duration;
import java.util.Objects;

/**
 * A job to enqueue.
 *
 * @param queue    an existing queue: one that a deployed handler serves, or defined by {@code sluice.define_queue}
 * @param kind     what the job is, and so which {@link OnJob} method handles it
 * @param payload  written as JSON by JSON-B; null is the JSON {@code null}; a {@link Json} is taken as it is
 * @param priority see {@link Priority}
 * @param delay    how long the job waits before it may run, on the database's clock; zero or more
 */
public record NewJob(String queue, String kind, Object payload, Priority priority, Duration delay) {

    /**
     * JSON text that is enqueued byte for byte.
     *
     * @param text a JSON document
     */
    public record Json(String text) {
        public Json {
            Objects.requireNonNull(text, "text");
        }
    }

    /** A hundred years. */
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_525);

    /**
     * @throws IllegalArgumentException if the delay is negative or longer than a hundred years
     * @throws NullPointerException if anything but the payload is null
     */
    public NewJob {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(priority, "priority");
        Objects.requireNonNull(delay, "delay");
        if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException("The delay of a job is zero to " + LONGEST_DELAY.toDays() + " days, not "
                    + delay + " as for kind \"" + kind + "\"");
        }
    }

    /** A job of normal priority that may run at once. */
    public static NewJob of(String queue, String kind, Object payload) {
        return new NewJob(queue, kind, payload, Priority.NORMAL, Duration.ZERO);
    }

    /** The same job, of another priority. */
    public NewJob withPriority(Priority other) {
        return new NewJob(queue, kind, payload, other, delay);
    }

    /** The same job, which may run only after this delay. */
    public NewJob withDelay(Duration other) {
        return new NewJob(queue, kind, payload, priority, other);
    }
}
