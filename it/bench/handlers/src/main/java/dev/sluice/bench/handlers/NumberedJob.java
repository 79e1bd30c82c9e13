package dev.sluice.bench.handlers;

/**
 * The payload of every job of the bench.
 *
 * @param number  of the job in its queue, from 1
 * @param fails   whether it is to fail the first time
 * @param padding makes the payload as long as was asked for
 */
public record NumberedJob(long number, boolean fails, String padding) {}
