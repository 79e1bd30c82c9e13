package dev.sluice.bench.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.bench.option.ClaimMode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The plan of a node")
class NodePlanTest {

    private static NodePlan plan(int queues, int workers) {
        List<String> names = IntStream.rangeClosed(1, queues)
                .mapToObj(number -> "q" + number)
                .toList();
        return new NodePlan("url", "user", "password", QueueChoice.SLUICE, names, ClaimMode.LEASED, workers, 10, 10);
    }

    private static List<Integer> shares(int queues, int workers) {
        return List.copyOf(plan(queues, workers).workersOfQueues().values());
    }

    @Test
    @DisplayName("shares the workers out, and gives each queue one at least")
    void shares() {
        assertEquals(List.of(16), shares(1, 16));
        assertEquals(List.of(5, 5, 6), shares(3, 16));
        assertEquals(List.of(1, 1, 1), shares(3, 1));
    }

    @Test
    @DisplayName("arrives as it was sent")
    void json() {
        JsonMapper json = JsonMapper.shared();
        assertEquals(plan(2, 3), json.readValue(json.writeValueAsString(plan(2, 3)), NodePlan.class));
    }
}
