package dev.sluice.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link JobListener} bean as the handler of one kind of job.
 *
 * <p>The method is public, neither static nor final, and takes the payload (any type that JSON-B reads, records
 * included), a {@link JobContext}, both in either order, or nothing. It runs in the bean's container transaction: when
 * that commits the job is gone, when it rolls back the attempt is counted and the job runs again after a delay.
 *
 * <p>A method that takes a {@code java.util.List} of payloads handles as many jobs of its kind in one call and one
 * transaction as there are, up to the activation property {@code batch}; it may take a {@code List<JobContext>} beside it,
 * or alone, in the same order. When its transaction rolls back no job is counted: each is given to the method again in a
 * list of its own, so that only those fail that are to blame. A kind whose payload is a JSON array is taken as an array
 * type, {@code Order[]}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnJob {

    /** The kind of job that the method handles; unique within its bean. */
    String value();
}
