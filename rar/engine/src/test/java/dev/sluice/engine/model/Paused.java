package dev.sluice.engine.model;

import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A statement that is stopped half way, at one of the places that {@link World} has laid, until it is told to go on. It
 * runs on a thread of its own, but only while all others wait for it, so that the order of all steps stays that of the seed.
 */
final class Paused {

    /** The advisory lock that it stops at. */
    static final int KEY = 4711;

    /** The setting that says how many places away that is. */
    private static final String PLACE = "model.pause";

    private final World world;
    private final Session session;
    private final Runnable after;
    private final Future<?> running;

    private Paused(World world, Session session, Runnable after, Future<?> running) {
        this.world = world;
        this.session = session;
        this.after = after;
        this.running = running;
    }

    /**
     * Begins the statement and lets it run up to a place.
     *
     * @param place which of the places that it comes to, from 1
     * @param after run when it has ended
     * @return null if it has ended already
     */
    static Paused begin(
            World world, ExecutorService thread, Session session, int place, Attempt.Action statement, Runnable after)
            throws SQLException {
        session.set(PLACE, place);
        world.execute("select pg_advisory_lock(" + KEY + ")");
        Paused paused = new Paused(world, session, after, thread.submit(() -> Attempt.at(statement)));
        while (!paused.running.isDone()) {
            if (world.query("select 1 from pg_locks where locktype = 'advisory' and objid = " + KEY
                            + " and not granted")
                    != null) {
                return paused;
            }
        }
        paused.goOn();
        return null;
    }

    /** Lets it run to its end. */
    void goOn() throws SQLException {
        world.execute("select pg_advisory_unlock(" + KEY + ")");
        try {
            running.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
        session.set(PLACE, 0);
        after.run();
    }
}
