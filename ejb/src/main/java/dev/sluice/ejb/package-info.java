/** Jakarta Batch artifacts whose steps are admitted before they query, and the health of the queue's part here. */
package dev.sluice.ejb;
