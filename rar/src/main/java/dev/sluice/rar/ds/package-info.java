/**
 * {@code sluice/ds}: a DataSource whose connections work in the transaction of the job that is being delivered, and
 * otherwise in a branch of their own, or in none.
 */
package dev.sluice.rar.ds;
