package dev.sluice.bench.pin;

import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.node.RunningNode;
import dev.sluice.bench.run.DishonestRunException;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** One node after another: the first is killed, the second takes over. */
final class Nodes implements Workforce, AutoCloseable {

    private final Callable<RunningNode> starter;
    private volatile RunningNode current;
    private volatile Progress before = new Progress(0, 0, 0, 0, 0, 0);
    private FutureTask<RunningNode> starting;

    Nodes(Callable<RunningNode> starter) {
        this.starter = starter;
    }

    /** Starts a node and waits until it handles jobs. */
    void start() throws Exception {
        current = starter.call();
    }

    /** Kills the node, and starts another; which is there when {@link #restarted} says so. */
    void replace() throws InterruptedException {
        RunningNode dying = current;
        try {
            before = dying.progress();
        } catch (IOException e) {
            // it counts for nothing, but is not there to be measured either
        }
        current = null;
        dying.kill();
        starting = new FutureTask<>(starter);
        Thread thread = new Thread(starting, "start of a node");
        thread.setDaemon(true);
        thread.start();
    }

    /** Whether the second node handles jobs. */
    boolean restarted() throws Exception {
        if (starting != null && current == null && starting.isDone()) {
            try {
                current = starting.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
        return starting != null && current != null;
    }

    /** @throws DishonestRunException if a node has died that nobody killed */
    void check() throws DishonestRunException {
        RunningNode node = current;
        if (node != null && !node.alive()) {
            throw new DishonestRunException("a node has ended by itself; its log says why");
        }
    }

    /** How far the node that runs is by itself; to be asked when one does. */
    Progress ofCurrent() throws IOException, InterruptedException {
        return node().progress();
    }

    /** How far all are together; the times are those of the node that runs. */
    @Override
    public Progress progress() throws IOException, InterruptedException {
        return sum(node().progress());
    }

    private RunningNode node() throws IOException {
        RunningNode node = current;
        if (node == null) {
            throw new IOException("No node runs");
        }
        return node;
    }

    private Progress sum(Progress now) {
        return new Progress(
                before.delivered() + now.delivered(),
                before.failed() + now.failed(),
                before.claims() + now.claims(),
                now.claimP50Millis(),
                now.claimP99Millis(),
                now.claimMaxMillis());
    }

    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            RunningNode node = current == null && starting != null ? starting.get() : current;
            if (node != null) {
                node.close();
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException e) {
            // it never started
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
