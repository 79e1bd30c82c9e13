package dev.sluice.api;

/** The order in which a queue's jobs are claimed: all that is more urgent first, and by age within a priority. */
public enum Priority {
    URGENT,
    HIGH,
    NORMAL,
    LOW
}
