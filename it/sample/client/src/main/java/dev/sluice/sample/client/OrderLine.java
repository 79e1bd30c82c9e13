package dev.sluice.sample.client;

/**
 * A line of the file of orders.
 *
 * @param number   1 for the first line; with a round's number it makes the order's id
 * @param customer who ordered
 * @param item     what
 * @param quantity how many, at least 1
 * @param cents    the price of all of it, in cents
 * @param payment  how it is paid, which is also the kind of the order's job
 */
public record OrderLine(int number, String customer, String item, int quantity, long cents, String payment) {}
