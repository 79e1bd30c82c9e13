/** An ordinary JDBC program that takes orders: the business row and its job in one transaction. */
package dev.sluice.sample.client;
