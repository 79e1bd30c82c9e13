package dev.sluice.sample.web;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** All resources of this module. */
@ApplicationPath("api")
public class SampleApplication extends Application {}
