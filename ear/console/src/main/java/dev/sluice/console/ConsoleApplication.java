package dev.sluice.console;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The console's REST resources. */
@ApplicationPath("api")
public class ConsoleApplication extends Application {}
