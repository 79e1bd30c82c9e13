package dev.sluice.engine.model;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Epochs;
import dev.sluice.engine.queue.Isolation;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.NodeRow;
import dev.sluice.engine.queue.Sweep;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A node without threads: its connection, what it remembers, and the jobs that it has. What it remembers of positions it
 * keeps as long as its connection lasts, over many interleavings.
 */
final class ModelNode {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** A job whose acknowledgement was not answered, and what the answer would have been. */
    record Doubt(Job job, boolean committed) {}

    private final World world;
    private final int number;
    private final Session control;
    private final HeldLeases held = new HeldLeases();
    /** Leased jobs that nothing is done with at the moment. */
    private final List<Job> idle = new ArrayList<>();
    /** Jobs that a transaction had taken that was rolled back. */
    private final List<Job> rolledBack = new ArrayList<>();

    private final List<Doubt> doubts = new ArrayList<>();
    private NodeRow row;
    private Epochs epochs;
    private Claim claim;
    private Sweep sweep;
    private Isolation isolation;
    private Sweep.Findings findings;
    private boolean busy;

    ModelNode(World world, int number, Session control) throws SQLException {
        this.world = world;
        this.number = number;
        this.control = control;
        connected();
    }

    /** On a new connection it knows nothing of positions any more. */
    void connected() throws SQLException {
        row = row == null ? null : row.on(control.connection());
        if (row == null || !row.beat()) {
            row = NodeRow.register(control.connection(), World.SCHEMA, "model " + number, TIMEOUT);
        }
        epochs = new Epochs();
        claim = new Claim(control.connection(), World.SCHEMA, row.id(), epochs);
        sweep = new Sweep(control.connection(), World.SCHEMA, epochs);
        isolation = new Isolation(control.connection(), World.SCHEMA);
        findings = null;
        busy = false;
    }

    /** Its server restarted. */
    void reconnect() throws SQLException {
        control.reopen();
        connected();
    }

    /** It is no more; its successor begins with nothing but its session. */
    ModelNode die(boolean signsOff, boolean breaksOff) throws SQLException {
        if (signsOff) {
            row.leave();
        } else {
            growOld("1 hour");
        }
        if (breaksOff) {
            world.breakOff(control);
        }
        return new ModelNode(world, number, control);
    }

    /** It has not been heard of for so long. */
    void growOld(String silence) throws SQLException {
        world.execute("update sluice.node set seen_at = clock_timestamp() - interval '" + silence + "' where id = "
                + row.id());
    }

    /** Is heard of; if it was taken for dead it goes on as a new node. */
    void beat() throws SQLException {
        if (!row.beat()) {
            row = null;
            connected();
        }
    }

    /** The jobs it claimed under a lease; they are idle now. */
    List<Job> claim(String queue, int most, Kinds kinds) throws SQLException {
        List<Job> jobs = claim.claim(queue, most, kinds, held);
        held.opened(jobs);
        idle.addAll(jobs);
        return jobs;
    }

    /** Claims, and never hears the answer. Returns how many jobs that was. */
    int claimUnheard(String queue, int most) throws SQLException {
        return claim.claim(queue, most, Kinds.EVERY, held).size();
    }

    List<Job> claimAlone(int epoch, String queue) throws SQLException {
        List<Job> jobs = claim.claimAlone(epoch, queue, Kinds.EVERY);
        held.opened(jobs);
        idle.addAll(jobs);
        return jobs;
    }

    Sweep.Findings sweep(Collection<String> queues) throws SQLException {
        findings = sweep.sweep(queues);
        return findings;
    }

    /** What the last sweep found; null before the first. */
    Sweep.Findings findings() {
        return findings;
    }

    long isolate() throws SQLException {
        return isolation.look(findings.taken());
    }

    long rescue() throws SQLException {
        return row.rescue(held.known());
    }

    void forget() throws SQLException {
        claim.forget(held);
    }

    Epochs epochs() {
        return epochs;
    }

    HeldLeases held() {
        return held;
    }

    List<Job> idle() {
        return idle;
    }

    List<Job> rolledBack() {
        return rolledBack;
    }

    List<Doubt> doubts() {
        return doubts;
    }

    /** Whether a statement on its connection is stopped half way. */
    boolean busy() {
        return busy;
    }

    void busy(boolean now) {
        busy = now;
    }

    Session control() {
        return control;
    }

    @Override
    public String toString() {
        return "node " + number + " (" + row.id() + ")";
    }
}
