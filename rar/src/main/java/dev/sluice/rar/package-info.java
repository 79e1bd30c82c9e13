/**
 * The JCA adapter (Jakarta Connectors 2.1): delivers the engine's jobs to message-driven beans and serves the objects
 * that applications look up. Knows no SQL.
 */
package dev.sluice.rar;
