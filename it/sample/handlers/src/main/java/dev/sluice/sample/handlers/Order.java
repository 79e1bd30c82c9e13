package dev.sluice.sample.handlers;

/**
 * The payload of the shop's jobs.
 *
 * @param id       the order's id in {@code shop.orders}
 * @param customer who ordered
 * @param item     what
 * @param quantity how many
 * @param cents    the price of all of it, in cents
 * @param payment  how it is paid, which is also the kind of the job
 */
public record Order(long id, String customer, String item, int quantity, long cents, String payment) {}
