package dev.sluice.bench.node;

import dev.sluice.bench.queue.NodePlan;
import dev.sluice.bench.queue.QueueNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link NodeProcess} runs: its plan is the first line of standard input, and the end of that ends it. It says once a
 * second how far it is, a JSON object on a line, first when it handles jobs.
 */
@Command(name = "node", hidden = true, description = "Handles jobs; started by other commands.")
public final class NodeCommand implements Callable<Integer> {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Override
    public Integer call() throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        JsonMapper json = JsonMapper.shared();
        NodePlan plan = json.readValue(input.readLine(), NodePlan.class);
        CountDownLatch ended = new CountDownLatch(1);
        Thread watch = new Thread(() -> awaitEnd(input, ended), "end of input");
        watch.setDaemon(true);
        watch.start();
        try (QueueNode node = plan.choice().queue().start(plan)) {
            long due = System.nanoTime();
            do {
                System.out.println(json.writeValueAsString(node.progress()));
                due += SECOND;
            } while (!ended.await(due - System.nanoTime(), TimeUnit.NANOSECONDS));
        }
        return 0;
    }

    private static void awaitEnd(BufferedReader input, CountDownLatch ended) {
        try {
            while (input.read() >= 0) {
                // nothing more is said
            }
        } catch (IOException e) {
            // whoever started us is gone
        }
        ended.countDown();
    }
}
