/** Nodes that handle jobs, each in a process of its own, so that it can be killed. */
package dev.sluice.bench.node;
