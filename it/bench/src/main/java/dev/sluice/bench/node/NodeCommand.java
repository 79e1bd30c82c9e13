package dev.sluice.bench.node;

import dev.sluice.bench.queue.NodePlan;
import dev.sluice.bench.queue.QueueNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link NodeProcess} runs: its plan is the first line of standard input. When it handles jobs, and then for each
 * further line, it says how far it is, a JSON object on a line. The end of the input ends it.
 */
@Command(name = "node", hidden = true, description = "Handles jobs; started by other commands.")
public final class NodeCommand implements Callable<Integer> {

    @Override
    public Integer call() throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        NodePlan plan = JsonMapper.shared().readValue(input.readLine(), NodePlan.class);
        CountDownLatch ended = new CountDownLatch(1);
        try (QueueNode node = plan.choice().queue().start(plan)) {
            say(node);
            // this thread is the one that a signal interrupts, so it must not read
            Thread answers = new Thread(() -> answer(input, node, ended), "answers");
            answers.setDaemon(true);
            answers.start();
            ended.await();
        }
        return 0;
    }

    private static void answer(BufferedReader input, QueueNode node, CountDownLatch ended) {
        try {
            while (input.readLine() != null) {
                say(node);
            }
        } catch (IOException e) {
            // whoever started us is gone
        }
        ended.countDown();
    }

    private static void say(QueueNode node) {
        System.out.println(JsonMapper.shared().writeValueAsString(node.progress()));
    }
}
