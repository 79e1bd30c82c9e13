package dev.sluice.engine.admission;

import dev.sluice.api.Admission;
import dev.sluice.api.AdmissionException;
import dev.sluice.api.Permit;
import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Remedy;
import dev.sluice.engine.database.Schema;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * This node's part in the cluster-wide semaphore. A request is a row; whoever waits asks again and again whether it is
 * its turn, each time in a short transaction, and holds none in between. A permit that is closed here is passed on at
 * once to whoever waits here; another node learns it within {@link #ASK_AGAIN}.
 */
public final class PermitQueue implements Admission {

    private static final Logger LOG = System.getLogger(PermitQueue.class.getName());
    private static final Duration ASK_AGAIN = Duration.ofMillis(200);
    private static final Duration FORGET_AFTER = Duration.ofSeconds(20);
    private static final int VALIDATION_SECONDS = 5;

    private static final String REQUEST = """
            /* sluice:request permit */
            select {schema}.request_permit(?, ?, ?)
            """;

    private static final String GRANT = """
            /* sluice:grant permit */
            select {schema}.grant_permit(?, ?)
            """;

    private static final String BACKEND = """
            /* sluice:who am i */
            select pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
            """;

    private static final String BIND = """
            /* sluice:bind permit */
            update {schema}.permit set backend_pid = ?, backend_start = ? where id = ?
            """;

    private static final String RELEASE = """
            /* sluice:release permit */
            select {schema}.release_permit(?, ?)
            """;

    private static final String FORGET_UNKNOWN = """
            /* sluice:forget unknown requests */
            delete from {schema}.permit
            where node = ? and id <> all(?) and requested_at < clock_timestamp() - interval '10 s'
            """;

    private final Connections connections;
    private final Schema schema;
    private final LongSupplier node;
    private final BooleanSupplier judges;
    private final Set<Long> known = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Release> unreleased = new ConcurrentLinkedQueue<>();
    /** When a request may have been made whose answer never came, in {@link System#nanoTime}; 0 if none. */
    private final AtomicLong answerLostAt = new AtomicLong();

    /**
     * A permit to be given back.
     *
     * @param broken whether the connection of its work broke, so that the work may go on in the server
     */
    private record Release(long id, boolean broken) {}

    /**
     * @param node   the number of this node now; 0 while it has none
     * @param judges whether this node may take others for dead now
     */
    public PermitQueue(Connections connections, Schema schema, LongSupplier node, BooleanSupplier judges) {
        this.connections = connections;
        this.schema = schema;
        this.node = node;
        this.judges = judges;
    }

    @Override
    public Permit acquire(String budget, String holder, Duration deadline) throws InterruptedException {
        long until = System.nanoTime() + deadline.toNanos();
        long id = request(budget, holder);
        boolean granted = false;
        try {
            while (!granted) {
                switch (ask(id)) {
                    case "granted" -> granted = true;
                    case "lost" ->
                        throw new AdmissionException("The request for budget \"" + budget
                                + "\" was removed, since this server had been taken for dead. Ask again.");
                    default -> {
                        long left = until - System.nanoTime();
                        if (left <= 0) {
                            throw new AdmissionException("No permit of budget \"" + budget + "\" was free within "
                                    + deadline + ". Wait longer, or raise its limit with " + schema.name()
                                    + ".define_budget.");
                        }
                        await(Math.min(left, ASK_AGAIN.toNanos()));
                    }
                }
            }
            return new Held(id, budget);
        } finally {
            if (!granted) {
                release(id, false);
            }
        }
    }

    private synchronized void await(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
    }

    private long request(String budget, String holder) {
        long self = node.getAsLong();
        if (self == 0) {
            throw new AdmissionException("No permit of budget \"" + budget
                    + "\" can be had: Sluice has no connection to its database. The health page and the log say why.");
        }
        try {
            long id = connections.with(connection -> {
                try (PreparedStatement call = connection.prepareStatement(schema.sql(REQUEST))) {
                    call.setString(1, budget);
                    call.setLong(2, self);
                    call.setString(3, holder);
                    try (ResultSet row = call.executeQuery()) {
                        row.next();
                        return row.getLong(1);
                    }
                }
            });
            known.add(id);
            return id;
        } catch (SQLException e) {
            if (Remedy.connectionLost(e)) {
                answerLostAt.set(System.nanoTime());
            }
            throw new AdmissionException(
                    "No permit of budget \"" + budget + "\" could be asked for: " + Remedy.explain(e), e);
        }
    }

    private String ask(long id) {
        try {
            return connections.with(connection -> {
                try (PreparedStatement call = connection.prepareStatement(schema.sql(GRANT))) {
                    call.setLong(1, id);
                    call.setBoolean(2, judges.getAsBoolean());
                    try (ResultSet row = call.executeQuery()) {
                        row.next();
                        return row.getString(1);
                    }
                }
            });
        } catch (SQLException e) {
            if (!Remedy.passing(e)) {
                throw new AdmissionException("No permit could be asked for: " + Remedy.explain(e), e);
            }
            // the request is still in its place when the database is back
            LOG.log(Level.DEBUG, "Asking for permit {0} failed: {1}", id, Remedy.explain(e));
            return "waiting";
        }
    }

    private void bind(long id, String budget, Connection worker) {
        try {
            int pid;
            Timestamp start;
            try (PreparedStatement query = worker.prepareStatement(BACKEND);
                    ResultSet row = query.executeQuery()) {
                row.next();
                pid = row.getInt(1);
                start = row.getTimestamp(2);
            }
            int updated = connections.with(connection -> {
                try (PreparedStatement update = connection.prepareStatement(schema.sql(BIND))) {
                    update.setInt(1, pid);
                    update.setTimestamp(2, start);
                    update.setLong(3, id);
                    return update.executeUpdate();
                }
            });
            if (updated == 0) {
                throw new AdmissionException("The permit of budget \"" + budget
                        + "\" is lost, since this server had been taken for dead. Do not run, ask again.");
            }
        } catch (SQLException e) {
            throw new AdmissionException(
                    "The permit of budget \"" + budget + "\" could not be bound: " + Remedy.explain(e), e);
        }
    }

    private void release(long id, boolean broken) {
        known.remove(id);
        unreleased.add(new Release(id, broken));
        releasePending();
        synchronized (this) {
            notifyAll();
        }
    }

    /** Gives back what could not be given back before, and requests that nobody here knows of. Called now and then. */
    public void tidy() {
        releasePending();
        long lostAt = answerLostAt.get();
        if (lostAt != 0) {
            forgetUnknown(lostAt);
        }
    }

    private void forgetUnknown(long lostAt) {
        try {
            connections.with(connection -> {
                try (PreparedStatement delete = connection.prepareStatement(schema.sql(FORGET_UNKNOWN))) {
                    delete.setLong(1, node.getAsLong());
                    delete.setArray(2, connection.createArrayOf("bigint", known.toArray()));
                    return delete.executeUpdate();
                }
            });
            if (System.nanoTime() - lostAt > FORGET_AFTER.toNanos()) {
                answerLostAt.compareAndSet(lostAt, 0);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Requests could not be tidied: {0}", Remedy.explain(e));
        }
    }

    private void releasePending() {
        for (int pending = unreleased.size(); pending > 0; pending--) {
            Release next = unreleased.poll();
            if (next != null && !released(next)) {
                unreleased.add(next);
            }
        }
    }

    private boolean released(Release release) {
        try {
            return connections.with(connection -> {
                try (PreparedStatement call = connection.prepareStatement(schema.sql(RELEASE))) {
                    call.setLong(1, release.id());
                    call.setBoolean(2, release.broken());
                    try (ResultSet row = call.executeQuery()) {
                        row.next();
                        return row.getBoolean(1);
                    }
                }
            });
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "A permit is given back later: {0}", Remedy.explain(e));
            return false;
        }
    }

    private final class Held implements Permit {

        private final long id;
        private final String budget;
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile Connection worker;

        private Held(long id, String budget) {
            this.id = id;
            this.budget = budget;
        }

        @Override
        public void bind(Connection connection) {
            PermitQueue.this.bind(id, budget, connection);
            worker = connection;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                release(id, worker != null && !answers(worker));
            }
        }

        private static boolean answers(Connection connection) {
            try {
                return connection.isValid(VALIDATION_SECONDS);
            } catch (SQLException e) {
                return false;
            }
        }
    }
}
