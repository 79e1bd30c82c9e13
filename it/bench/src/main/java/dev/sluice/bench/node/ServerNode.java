package dev.sluice.bench.node;

import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.site.BenchServer;
import java.io.IOException;

/** A node that is an Open Liberty. */
public record ServerNode(BenchServer server) implements RunningNode {

    /** The queue of the handler that works as the options say. */
    public static final String QUEUE = "work";

    @Override
    public Workforce.Progress progress() throws IOException, InterruptedException {
        return Workforce.Progress.of(server.status());
    }

    @Override
    public boolean alive() {
        return server.alive();
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
