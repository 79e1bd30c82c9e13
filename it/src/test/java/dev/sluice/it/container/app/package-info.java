/** Further handlers of the application under test, for what is best asked inside the server. */
package dev.sluice.it.container.app;
