package dev.sluice.engine.rotation;

import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.EpochState.Family;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Sees to the tables that are used in turn, on a thread and a connection of its own, so that no claim waits for it. It is
 * told of them by each sweep, and has nothing to do most of the time.
 */
public final class Maintenance implements Consumer<List<EpochState>>, AutoCloseable {

    private static final Logger LOG = System.getLogger(Maintenance.class.getName());

    /** How many transactions in a row; the next sweep goes on. */
    private static final int MOST_STEPS = 20;

    private static final long WARN_EVERY = Duration.ofMinutes(1).toNanos();

    private final Connections connections;
    private final Rotation rotation;
    private final Turns turns = new Turns();
    private final BlockingQueue<List<EpochState>> work = new ArrayBlockingQueue<>(1);
    private final Thread thread = new Thread(this::run, "sluice rotation");
    private boolean started;
    private volatile boolean closed;
    /** Why the table of a family that is in use cannot be left. */
    private final Map<Family, String> problems = new ConcurrentHashMap<>();

    private long warnAt = System.nanoTime();

    /** @param connections with a short lock_timeout, see {@link Rotation} */
    public Maintenance(Connections connections, Rotation rotation) {
        this.connections = connections;
        this.rotation = rotation;
        thread.setDaemon(true);
        thread.setContextClassLoader(Maintenance.class.getClassLoader());
    }

    @Override
    public synchronized void accept(List<EpochState> states) {
        long now = System.nanoTime();
        turns.saw(states, now);
        for (EpochState state : states) {
            if (state.current() && !Turns.isFull(state)) {
                problems.remove(state.family());
            }
        }
        if (closed || states.stream().noneMatch(state -> isDue(state, now))) {
            return;
        }
        work.offer(states);
        if (!started) {
            started = true;
            thread.start();
        }
    }

    /** What is wrong and what to do, for a person; null if nothing is. */
    public String problem() {
        return problems.values().stream().findAny().orElse(null);
    }

    private boolean isDue(EpochState state, long now) {
        return state.current() ? Turns.isFull(state) : turns.mayBeEmptied(state, now);
    }

    private void run() {
        while (!closed) {
            try {
                List<EpochState> states = work.take();
                for (Family family : Family.values()) {
                    see(states.stream()
                            .filter(state -> state.family() == family)
                            .toList());
                }
            } catch (InterruptedException e) {
                // close() interrupts, and the loop sees it
            } catch (SQLException e) {
                LOG.log(
                        Remedy.passing(e) ? Level.DEBUG : Level.WARNING,
                        "The tables of the queue could not be seen to: {0}",
                        Remedy.explain(e));
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "The tables of the queue could not be seen to", e);
            }
        }
    }

    /** The tables of one family. */
    private void see(List<EpochState> states) throws SQLException {
        long now = System.nanoTime();
        EpochState current = null;
        boolean free = false;
        for (EpochState state : states) {
            if (state.current()) {
                current = state;
            }
            free |= state.bytes() == 0;
        }
        boolean needed = current != null && Turns.isFull(current);
        Set<String> reasons = new LinkedHashSet<>();
        for (EpochState state : states) {
            if (!state.current() && turns.mayBeEmptied(state, now)) {
                String reason = tryToEmpty(state, needed && !free, now);
                free |= reason == null;
                reasons.add(reason);
            }
        }
        reasons.remove(null);
        if (needed) {
            rotate(current, reasons);
        }
    }

    /** Returns why it could not; null if it did. What is wrong with one table keeps no other. */
    private String tryToEmpty(EpochState state, boolean urgent, long now) {
        try {
            return empty(state, urgent, now);
        } catch (SQLException e) {
            LOG.log(
                    Remedy.passing(e) ? Level.DEBUG : Level.WARNING,
                    "Table {0} could not be emptied: {1}",
                    state.table(),
                    Remedy.explain(e));
            return state.table() + ": " + Remedy.explain(e);
        }
    }

    private String empty(EpochState state, boolean urgent, long now) throws SQLException {
        String reason = connections.with(connection -> rotation.empty(connection, state));
        if (!Rotation.ROWS.equals(reason)) {
            return reason;
        }
        boolean still = turns.standsStill(state, now);
        if (urgent || (still && state.live() < Turns.FEW_LIVE)) {
            long moved = carryOver(state, urgent && still);
            LOG.log(Level.DEBUG, "Moved {0} rows of {1} to the current epoch", moved, state.table());
            reason = connections.with(connection -> rotation.empty(connection, state));
        }
        if (!Rotation.ROWS.equals(reason)) {
            return reason;
        }
        String holder = connections.with(connection -> rotation.holder(connection, state));
        return state.table() + " has rows" + (holder == null ? "" : ", and " + holder);
    }

    /** @param all also those whose transaction was rolled back without a word: as a rule they are isolated first */
    private long carryOver(EpochState state, boolean all) throws SQLException {
        long total = 0;
        for (int step = 0; step < MOST_STEPS && !closed; step++) {
            long moved = connections.with(connection -> rotation.carryOver(connection, state));
            total += moved;
            if (moved == 0) {
                break;
            }
        }
        return all ? total + connections.with(connection -> rotation.carryOverRolledBack(connection, state)) : total;
    }

    private void rotate(EpochState full, Set<String> reasons) throws SQLException {
        Integer current = connections.with(connection -> rotation.rotate(connection, full));
        if (current == null) {
            return;
        }
        if (current != full.epoch()) {
            LOG.log(Level.DEBUG, "Epoch {0} follows {1}", current, full.table());
            problems.remove(full.family());
            return;
        }
        String problem =
                "Table " + full.table() + " has " + full.dead() + " dead rows, and no other is free, so it grows;"
                        + " claims are as fast all the same. In the way: " + String.join("; ", reasons);
        boolean known = problems.put(full.family(), problem) != null;
        if (!known || System.nanoTime() - warnAt >= 0) {
            warnAt = System.nanoTime() + WARN_EVERY;
            LOG.log(Level.WARNING, problem);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        connections.close();
    }
}
