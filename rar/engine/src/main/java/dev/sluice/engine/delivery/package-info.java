/**
 * From a claim to the end of a handler's transaction.
 *
 * <pre>
 *            claim                 accept                    commit
 *  waiting ---------> leased ------------------> running ------------> gone (acknowledged)
 *     ^                 |                           | rollback
 *     |    release      |                           v
 *     +-----------------+        promote        attempt counted ------> dead letter
 *     +-------------------------------------------- scheduled
 * </pre>
 */
package dev.sluice.engine.delivery;
