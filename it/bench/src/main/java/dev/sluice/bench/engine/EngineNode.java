package dev.sluice.bench.engine;

import dev.sluice.api.NodeStatus;
import dev.sluice.bench.site.Database;
import dev.sluice.engine.Engine;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An engine in this JVM with all its workers. */
public final class EngineNode implements AutoCloseable {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);
    private static final long READY_POLL_MILLIS = 10;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    private final Engine engine;
    private final List<Workers> workers;

    private EngineNode(Settings settings, List<Workers> workers) {
        this.engine = new Engine(() -> settings);
        this.workers = List.copyOf(workers);
    }

    /** Settings for the database of a run. */
    public static Settings settings(Database database) {
        return Settings.of(
                Map.of(
                        Setting.URL, database.url(Database.QUEUE),
                        Setting.USER, database.user(),
                        Setting.PASSWORD, database.password()),
                Map.of());
    }

    /**
     * Starts and waits until jobs are delivered.
     *
     * @throws IllegalStateException if they are not within a minute
     */
    public static EngineNode start(Settings settings, List<Workers> workers) throws InterruptedException {
        EngineNode node = new EngineNode(settings, workers);
        try {
            workers.forEach(node.engine::subscribe);
            node.engine.start();
            node.awaitReady();
            return node;
        } catch (InterruptedException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private void awaitReady() throws InterruptedException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        while (!engine.status().ready()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "The engine delivers no jobs: " + engine.status().problem());
            }
            TimeUnit.MILLISECONDS.sleep(READY_POLL_MILLIS);
        }
    }

    public NodeStatus status() {
        return engine.status();
    }

    /** Stops in order: what runs is waited for, for a few seconds. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            engine.stop(STOP_LIMIT);
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            workers.forEach(Workers::close);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
