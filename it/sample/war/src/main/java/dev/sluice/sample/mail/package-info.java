/** A mail list in one WAR: a servlet that enqueues, a handler, an entity. */
package dev.sluice.sample.mail;
