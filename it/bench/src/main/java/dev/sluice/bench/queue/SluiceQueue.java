package dev.sluice.bench.queue;

import dev.sluice.bench.engine.EngineNode;
import dev.sluice.bench.engine.Work;
import dev.sluice.bench.engine.Workers;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.load.PlannedJob;
import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.option.ClaimMode;
import dev.sluice.engine.queue.Job;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sluice: its engine, without a container. */
final class SluiceQueue implements TestedQueue {

    private static final String ENQUEUE =
            "/* bench:enqueue */ select sluice.enqueue(?, ?, ?, ?, ?::int * interval '1 ms')";

    @Override
    public String schema() {
        return "sluice";
    }

    /** The first node brings the tables. */
    @Override
    public void create(Connection connection) {}

    @Override
    public void enqueue(Connection connection, PlannedJob job, String kind, String payload) throws SQLException {
        try (PreparedStatement enqueue = connection.prepareStatement(ENQUEUE)) {
            enqueue.setString(1, job.queue());
            enqueue.setString(2, kind);
            enqueue.setString(3, payload);
            enqueue.setInt(4, job.priority());
            enqueue.setInt(5, job.delayMillis());
            enqueue.execute();
        }
    }

    /** The leased claim updates, the transactional one is a function. */
    @Override
    public String claims() {
        return "update .*job_\\d+\"? set lease|\\.take(_\\d+)?\\(";
    }

    @Override
    public QueueNode start(NodePlan plan) throws InterruptedException {
        Work work = delivery -> {
            Connection connection = delivery.connection();
            List<Job> jobs = delivery.jobs();
            List<Long> numbers = new ArrayList<>();
            for (Job job : jobs) {
                numbers.add(Payloads.number(job.payload()));
            }
            Ledger.enter(connection, jobs.get(0).queue(), numbers);
            for (Job job : jobs) {
                if (job.attempt() == 0 && Payloads.fails(job.payload())) {
                    throw new IllegalStateException("a job of the mix that is to fail");
                }
            }
            TimeUnit.MILLISECONDS.sleep(plan.workMillis());
        };
        boolean lists = plan.mode() == ClaimMode.TRANSACTIONAL;
        List<Workers> workers = new ArrayList<>();
        plan.workersOfQueues()
                .forEach((queue, number) ->
                        workers.add(new Workers(queue, plan.kind(), plan.mode(), number, plan.batch(), lists, work)));
        EngineNode node = EngineNode.start(EngineNode.settings(plan.database()), workers);
        return new QueueNode() {
            @Override
            public Workforce.Progress progress() {
                return Workforce.Progress.of(node.status());
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }
}
