/** The application under test: handlers that misbehave in every way a handler can. */
package dev.sluice.it.app;
