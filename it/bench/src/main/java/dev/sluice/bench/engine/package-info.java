/** Handles jobs by the engine alone, without a container. */
package dev.sluice.bench.engine;
