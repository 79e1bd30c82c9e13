package dev.sluice.bench.drain;

import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.engine.Work;
import dev.sluice.bench.engine.Workers;
import dev.sluice.bench.load.Backlog;
import dev.sluice.bench.measure.QueueTables;
import dev.sluice.bench.option.ClaimMode;
import dev.sluice.engine.database.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;

/** The engine in this JVM, with handlers that do nothing. It is started anew for each backlog. */
final class EngineDrainer implements Drainer {

    private static final String KIND = "enter";

    private final String queue;
    private final Backlog backlog;
    private final QueueTables tables;
    private final Settings settings;
    private final Supplier<Workers> workers;
    private long enqueued;

    /**
     * @param contender whose queue it is; the queue exists
     * @param handlers  calls at the same time
     * @param batch     jobs of one claim at most
     */
    EngineDrainer(
            Contender contender,
            ClaimMode mode,
            int handlers,
            int batch,
            Settings settings,
            Backlog backlog,
            QueueTables tables) {
        this.queue = contender.key();
        this.backlog = backlog;
        this.tables = tables;
        this.settings = settings;
        this.workers = () -> new Workers(queue, KIND, mode, handlers, batch, contender.lists(), Work.NONE);
    }

    @Override
    public void enqueue(int jobs) throws SQLException {
        backlog.enqueue(queue, enqueued + 1, jobs);
        enqueued += jobs;
    }

    @Override
    public Crew start() throws InterruptedException {
        return new EngineCrew(EngineNode.start(settings, List.of(workers.get())));
    }

    @Override
    public long left() throws SQLException {
        return tables.rows();
    }
}
