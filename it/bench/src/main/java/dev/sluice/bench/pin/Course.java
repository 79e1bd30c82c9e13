package dev.sluice.bench.pin;

/** What was noted in the course of a run. Written by the thread that makes it. */
final class Course {

    /** Statements a second of one node without jobs. */
    double idleStatements;

    Mark controlBegins;
    Mark controlEnds;
    Mark lastPartBegins;
    Mark nodeDies;
    /** When the second node was seen to claim, on the monitor's clock; not a number before. */
    double newNodeClaims = Double.NaN;
    /** The longest of its first claims; not a number without any. */
    double coldClaimMillis = Double.NaN;
    /** When its first claims were over; null if that was not before the end. */
    Mark newNodeSettled;

    Mark runEnds;
    long depthAtEnd;
    long enqueued;
    long lost;
    long doubled;
    long strange;
}
