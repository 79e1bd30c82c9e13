package dev.sluice.rar;

import dev.sluice.engine.delivery.ClaimMode;
import dev.sluice.engine.queue.RetryPolicy;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.InvalidPropertyException;
import jakarta.resource.spi.ResourceAdapter;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/**
 * How a handler bean is served. Properties come from the bean's activation configuration or from the
 * {@code <activationSpec>} in server.xml; the former win, so operators' knobs stay out of annotations.
 */
public final class JobActivationSpec implements ActivationSpec, Serializable {

    private static final long serialVersionUID = 1L;

    /** In bytes of UTF-8, as the table of queues has it. */
    private static final int LONGEST_NAME = 200;

    private transient ResourceAdapter resourceAdapter;
    private String queue = "default";
    private String mode = name(ClaimMode.LEASED);
    private Integer concurrency = 16;
    private Integer batch = 10;
    private Integer maxAttempts;
    private Integer backoffMillis;
    private Integer backoffCapMillis;

    @Override
    public void validate() throws InvalidPropertyException {
        if (queue == null || queue.isBlank()) {
            throw new InvalidPropertyException("Activation property queue names a queue; it is empty");
        }
        if (queue.indexOf('\0') >= 0 || queue.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new InvalidPropertyException("Activation property queue has at most " + LONGEST_NAME
                    + " bytes and no NUL, not \"" + queue + "\"");
        }
        if (claimMode() == null) {
            throw new InvalidPropertyException(
                    "Activation property mode is leased or transactional, not \"" + mode + "\"");
        }
        require("concurrency", concurrency == null ? 0 : concurrency, 1, 1_000);
        require("batch", batch == null ? 0 : batch, 1, 1_000);
        require("maxAttempts", maxAttempts, 1, 1_000_000);
        require("backoffMillis", backoffMillis, 0, Integer.MAX_VALUE);
        require("backoffCapMillis", backoffCapMillis, 0, Integer.MAX_VALUE);
    }

    private static void require(String property, Integer value, int least, int most) throws InvalidPropertyException {
        if (value != null && (value < least || value > most)) {
            throw new InvalidPropertyException(
                    "Activation property " + property + " is " + least + " to " + most + ", not " + value);
        }
    }

    private static String name(ClaimMode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    /** Null if the property names none. */
    ClaimMode claimMode() {
        for (ClaimMode known : ClaimMode.values()) {
            if (name(known).equals(mode)) {
                return known;
            }
        }
        return null;
    }

    RetryPolicy retryPolicy() {
        return new RetryPolicy(maxAttempts, millis(backoffMillis), millis(backoffCapMillis));
    }

    private static Duration millis(Integer value) {
        return value == null ? null : Duration.ofMillis(value);
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return resourceAdapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter adapter) throws ResourceException {
        if (resourceAdapter != null) {
            throw new ResourceException("The adapter of an activation cannot be changed");
        }
        resourceAdapter = adapter;
    }

    /** The queue whose jobs the bean handles. */
    public String getQueue() {
        return queue;
    }

    public void setQueue(String queue) {
        this.queue = queue;
    }

    /** How jobs are claimed: leased or transactional, as {@link ClaimMode} says. */
    public String getMode() {
        return mode;
    }

    public void setMode(String mode) {
        this.mode = mode;
    }

    /** The most jobs of this bean that run at once on this server. */
    public Integer getConcurrency() {
        return concurrency;
    }

    public void setConcurrency(Integer concurrency) {
        this.concurrency = concurrency;
    }

    /** The most jobs of one claim, and of one call of a handler that takes a list. */
    public Integer getBatch() {
        return batch;
    }

    public void setBatch(Integer batch) {
        this.batch = batch;
    }

    /** Attempts before a job of the queue becomes a dead letter; null leaves the queue's as it is. */
    public Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    /** Delay after the first failed attempt, doubled after each further one; null leaves the queue's as it is. */
    public Integer getBackoffMillis() {
        return backoffMillis;
    }

    public void setBackoffMillis(Integer backoffMillis) {
        this.backoffMillis = backoffMillis;
    }

    /** The longest such delay; null leaves the queue's as it is. */
    public Integer getBackoffCapMillis() {
        return backoffCapMillis;
    }

    public void setBackoffCapMillis(Integer backoffCapMillis) {
        this.backoffCapMillis = backoffCapMillis;
    }
}
