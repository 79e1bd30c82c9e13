/**
 * The demo: starts PostgreSQL and Open Liberty with the sample, feeds it orders, asks for reports, shows how the queue
 * is doing, and counts at the end. {@link dev.sluice.demo.Demo} is where it begins.
 */
package dev.sluice.demo;
