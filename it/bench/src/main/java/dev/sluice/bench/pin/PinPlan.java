package dev.sluice.bench.pin;

import dev.sluice.bench.node.ServerNode;
import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.option.Through;
import dev.sluice.bench.queue.NodePlan;
import dev.sluice.bench.queue.QueueChoice;
import dev.sluice.bench.site.Database;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is run.
 *
 * @param pin     what holds the horizon back
 * @param queue   what is measured
 * @param mix     whether the jobs differ
 * @param through what handles the jobs
 */
record PinPlan(CommonOptions options, PinKind pin, QueueChoice queue, boolean mix, Through through) {

    /** The queues that jobs are spread over. */
    List<String> queues() {
        return options.queues() == 1
                ? List.of(ServerNode.QUEUE)
                : IntStream.rangeClosed(1, options.queues())
                        .mapToObj(number -> ServerNode.QUEUE + "_" + number)
                        .toList();
    }

    /** What a node has to do. */
    NodePlan node(Database database) {
        return new NodePlan(
                database.url(Database.QUEUE),
                database.user(),
                database.password(),
                queue,
                queues(),
                options.mode(),
                options.workers(),
                options.batch(),
                options.workMillis());
    }
}
