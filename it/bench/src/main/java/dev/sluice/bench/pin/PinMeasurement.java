package dev.sluice.bench.pin;

import dev.sluice.bench.load.JobPlan;
import dev.sluice.bench.load.Payloads;
import dev.sluice.bench.load.PlannedJob;
import dev.sluice.bench.load.Producers;
import dev.sluice.bench.measure.Catalogs;
import dev.sluice.bench.measure.Monitor;
import dev.sluice.bench.measure.StatementMeasure;
import dev.sluice.bench.measure.WalMeasure;
import dev.sluice.bench.measure.Workforce;
import dev.sluice.bench.node.NodeProcess;
import dev.sluice.bench.node.RunningNode;
import dev.sluice.bench.node.ServerNode;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.queue.NodePlan;
import dev.sluice.bench.queue.TestedQueue;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.run.Run;
import dev.sluice.bench.site.Database;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Makes the run: warm-up, control, pin, the death of a node, and the end. */
final class PinMeasurement implements AutoCloseable {

    private static final double WARM_UP_ENDS = 0.1;
    private static final double CONTROL_ENDS = 0.5;
    private static final double LAST_PART_BEGINS = 0.6;
    private static final double NODE_DIES = 0.8;

    private static final int SETTLE_SECONDS = 2;
    private static final int IDLE_SECONDS = 10;

    /** The claims of these first seconds of a node's work are the cold ones. */
    private static final double COLD_SECONDS = 5;

    /** A moment's stall is not inability. */
    private static final double MOST_SECONDS_BEHIND = 5;

    private final Run run;
    private final PinPlan plan;
    private final CommonOptions options;
    private final Database database;
    private final TestedQueue queue;
    private final Connection control;
    private final StatementMeasure statements;
    private final WalMeasure wal;
    private final Book book;
    private final Nodes nodes;
    private final Course course = new Course();
    private final JobPlan jobs;
    private final Producers producers;
    private Pin pin;
    private double begun;
    private int nodesStarted;

    PinMeasurement(Run run, PinPlan plan) throws SQLException {
        this.run = run;
        this.plan = plan;
        this.options = plan.options();
        this.database = run.site().database();
        this.queue = plan.queue().queue();
        this.control = database.connect(Database.QUEUE);
        this.statements = new StatementMeasure(control);
        this.wal = new WalMeasure(control);
        this.book = new Book(control, queue.schema());
        this.nodes = new Nodes(this::startNode);
        this.jobs = new JobPlan(plan.queues(), options.commitLagMillis(), plan.mix(), options.seed());
        this.producers = new Producers(
                database,
                this::enqueue,
                jobs,
                new Payloads(options.payloadBytes(), options.seed()),
                plan.pin() == PinKind.PREPARED ? 1 : 0,
                options.producers(),
                options.rate());
    }

    private RunningNode startNode() throws Exception {
        if (plan.through() == Through.SERVER) {
            return new ServerNode(run.site().startServer());
        }
        NodePlan node = plan.node(database);
        nodesStarted++;
        return NodeProcess.start(node, run.site().out().resolve("node-" + nodesStarted + ".log"));
    }

    private void enqueue(Connection connection, PlannedJob job, String payload) throws SQLException {
        queue.enqueue(connection, job, plan.node(database).kind(), payload);
    }

    void measure(Result result) throws Exception {
        run.progress().println("Seed: " + options.seed());
        Book.create(database);
        queue.create(control);
        nodes.start();
        run.watch(Catalogs.withBusiness(queue.schema()), nodes);
        phase("idle");
        course.idleStatements = idleStatements();

        phase("warm-up");
        begun = monitor().seconds();
        producers.start();
        awaitPart(WARM_UP_ENDS);
        phase("control");
        course.controlBegins = mark();
        awaitPart(CONTROL_ENDS);
        course.controlEnds = mark();
        phase("pinned: " + plan.pin());
        pin = hold();
        awaitPart(LAST_PART_BEGINS);
        course.lastPartBegins = mark();
        awaitPart(NODE_DIES);
        course.nodeDies = mark();
        phase("pinned, node killed");
        nodes.replace();
        awaitPart(1);
        course.runEnds = mark();
        course.depthAtEnd = book.depth();
        end();

        new PinReport(plan, course, monitor().samples(), begun, database).put(result);
    }

    private Pin hold() throws DishonestRunException {
        try {
            return plan.pin().hold(database, queue.schema(), this::enqueueEarlyJob);
        } catch (SQLException e) {
            throw new DishonestRunException("the pin " + plan.pin() + " cannot be made: " + e.getMessage());
        }
    }

    private void enqueueEarlyJob(Connection connection) throws SQLException {
        producers.enqueue(connection, 0);
    }

    private void end() throws Exception {
        phase("draining");
        long early = plan.pin() == PinKind.PREPARED ? 1 : 0;
        course.enqueued = producers.stop() + early;
        requireProducers();
        pin.close();
        pin = null;
        new Finish(control, book, jobs, course).await(this::watchNewNode);
        // it may have done all that was left since it was asked last
        watchNewNode();
    }

    /** With one node and no jobs, a second. */
    private double idleStatements() throws Exception {
        TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        StatementMeasure.Count before = statements.all();
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        nodes.check();
        return (double) statements.all().since(before).calls() / IDLE_SECONDS;
    }

    private Mark mark() throws Exception {
        Workforce.Progress progress = current();
        return new Mark(
                monitor().seconds(),
                progress.claims(),
                statements.matching(queue.claims()),
                wal.position(),
                book.entries());
    }

    /** Nothing while no node runs; what then is marked is not used for claims. */
    private Workforce.Progress current() throws InterruptedException {
        try {
            return nodes.progress();
        } catch (IOException e) {
            return new Workforce.Progress(0, 0, 0, 0, 0, 0);
        }
    }

    private void awaitPart(double part) throws Exception {
        double until = begun + part * options.seconds();
        for (double now = monitor().seconds(); now < until; now = monitor().seconds()) {
            check();
            watchNewNode();
            TimeUnit.MILLISECONDS.sleep((long)
                    (1_000 * Math.max(0, Math.min(1, until - monitor().seconds()))));
        }
    }

    private void check() throws Exception {
        nodes.check();
        if (producers.failure() != null) {
            throw new DishonestRunException(
                    "a producer has given up: " + producers.failure().getMessage());
        }
        if (producers.secondsBehind() > MOST_SECONDS_BEHIND) {
            throw new DishonestRunException(options.producers() + " producers cannot hold a rate of " + options.rate()
                    + " jobs/s: they are over " + (int) MOST_SECONDS_BEHIND + " s late; give the run more --producers");
        }
        if (pin != null && !pin.active()) {
            throw new DishonestRunException("the pin " + plan.pin() + " did not hold the horizon back, "
                    + (int) (monitor().seconds() - begun) + " s after the beginning");
        }
    }

    private void requireProducers() throws DishonestRunException {
        if (producers.failure() != null) {
            throw new DishonestRunException(
                    "a producer has given up: " + producers.failure().getMessage());
        }
    }

    private void watchNewNode() throws Exception {
        if (!nodes.restarted()) {
            return;
        }
        Workforce.Progress progress = nodes.ofCurrent();
        if (progress.claims() == 0) {
            return;
        }
        double now = monitor().seconds();
        if (Double.isNaN(course.newNodeClaims)) {
            course.newNodeClaims = now;
            course.coldClaimMillis = 0;
        }
        if (now - course.newNodeClaims < COLD_SECONDS) {
            course.coldClaimMillis = Math.max(course.coldClaimMillis, progress.claimMaxMillis());
        } else if (course.newNodeSettled == null && course.runEnds == null) {
            course.newNodeSettled = mark();
        }
    }

    private void phase(String name) {
        if (monitor() != null) {
            monitor().phase(name);
        }
    }

    private Monitor monitor() {
        return run.monitor();
    }

    @Override
    public void close() throws SQLException, IOException {
        producers.close();
        try (control;
                nodes) {
            if (pin != null) {
                pin.close();
            }
        }
    }
}
