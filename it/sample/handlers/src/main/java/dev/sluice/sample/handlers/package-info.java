/** What the shop does with its orders, each in a job of its own. */
package dev.sluice.sample.handlers;
