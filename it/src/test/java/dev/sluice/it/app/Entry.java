package dev.sluice.it.app;

/**
 * A payload.
 *
 * @param number tells it from the others
 * @param text   anything
 */
public record Entry(int number, String text) {}
