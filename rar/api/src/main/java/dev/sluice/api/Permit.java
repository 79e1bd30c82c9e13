package dev.sluice.api;

import java.sql.Connection;

/** What an admitted run holds. It comes free when it is closed, or when the server that holds it is gone. */
public interface Permit extends AutoCloseable {

    /**
     * Says on which database connection the admitted work runs, before it runs there. If this server is taken for dead
     * later, that connection's backend is ended before the permit is given on, so that the limit holds.
     *
     * @param connection a connection to the database of Sluice
     * @throws AdmissionException if the permit was given on already, since this server had been taken for dead
     */
    void bind(Connection connection);

    /**
     * Gives the permit back; without effect the second time. To be called before the connection that it is bound to is
     * closed: where that is broken, its backend may work on, and is ended first.
     */
    @Override
    void close();
}
