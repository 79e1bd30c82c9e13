package dev.sluice.bench.node;

import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.queue.NodePlan;
import dev.sluice.bench.site.SiteException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** A node in a JVM of its own, started from the same class path as this one. */
public final class NodeProcess implements RunningNode {

    private static final Duration READY_LIMIT = Duration.ofSeconds(120);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private final Process process;
    private final Path log;
    private final Writer input;
    private Workforce.Progress last;
    private long answers;

    private NodeProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.input = process.outputWriter();
        Thread reader = new Thread(this::read, "progress of node " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a node and waits until it handles jobs.
     *
     * @param log what it logs goes into this file
     * @throws SiteException if it does not start
     */
    public static NodeProcess start(NodePlan plan, Path log) throws IOException, InterruptedException, SiteException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.sluice.bench.Bench",
                        "node")
                .redirectError(log.toFile())
                .start();
        NodeProcess node = new NodeProcess(process, log);
        try {
            // not in its arguments, which others can read
            node.input.write(JsonMapper.shared().writeValueAsString(plan) + "\n");
            node.input.flush();
            node.awaitReady();
            return node;
        } catch (IOException | InterruptedException | SiteException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private synchronized void awaitReady() throws InterruptedException, SiteException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        while (last == null) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0 || !process.isAlive()) {
                throw new SiteException("A node does not start. Its log: " + log);
            }
            wait(Math.min(millis, 100));
        }
    }

    private void read() {
        JsonMapper json = JsonMapper.shared();
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Workforce.Progress progress = json.readValue(line, Workforce.Progress.class);
                synchronized (this) {
                    last = progress;
                    answers++;
                    notifyAll();
                }
            }
        } catch (IOException e) {
            // it is dead
        }
    }

    @Override
    public synchronized Workforce.Progress progress() throws IOException, InterruptedException {
        long before = answers;
        input.write("\n");
        input.flush();
        long deadline = System.nanoTime() + ANSWER_LIMIT.toNanos();
        while (answers == before) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0 || !process.isAlive()) {
                throw new IOException("A node does not answer. Its log: " + log);
            }
            wait(Math.min(millis, 100));
        }
        return last;
    }

    @Override
    public boolean alive() {
        return process.isAlive();
    }

    @Override
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            input.close();
            if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            interrupted = true;
            kill();
        } catch (IOException e) {
            // dead already
            kill();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
