/** The sample's REST resources, below {@code /sample/api}. */
package dev.sluice.sample.web;
