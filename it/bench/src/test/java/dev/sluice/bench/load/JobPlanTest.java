package dev.sluice.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A plan of jobs")
class JobPlanTest {

    private static final int MANY = 10_000;

    private static List<PlannedJob> jobs(JobPlan plan) {
        return LongStream.range(0, MANY).mapToObj(plan::of).toList();
    }

    private static JobPlan plan(boolean mix, long seed) {
        return new JobPlan(List.of("a", "b", "c"), 40, mix, seed);
    }

    @Test
    @DisplayName("is the same again with the same seed only")
    void seed() {
        assertEquals(jobs(plan(true, 1)), jobs(plan(true, 1)));
        assertNotEquals(jobs(plan(true, 1)), jobs(plan(true, 2)));
    }

    @Test
    @DisplayName("numbers the jobs of each queue without a gap, and knows how many there are")
    void numbers() {
        JobPlan plan = plan(false, 1);
        for (String queue : plan.queues()) {
            List<Long> numbers = jobs(plan).stream()
                    .filter(job -> job.queue().equals(queue))
                    .map(PlannedJob::number)
                    .toList();
            assertEquals(LongStream.rangeClosed(1, numbers.size()).boxed().toList(), numbers);
            assertEquals(numbers.size(), plan.jobsOf(queue, MANY));
        }
        assertEquals(
                List.of(1L, 0L, 0L),
                plan.queues().stream().map(queue -> plan.jobsOf(queue, 1)).toList());
    }

    @Test
    @DisplayName("has commits 0 to as many ms after the enqueue as was said")
    void lags() {
        assertEquals(
                0,
                jobs(plan(false, 1)).stream()
                        .mapToInt(PlannedJob::commitLagMillis)
                        .min()
                        .orElse(-1));
        assertEquals(
                40,
                jobs(plan(false, 1)).stream()
                        .mapToInt(PlannedJob::commitLagMillis)
                        .max()
                        .orElse(-1));
    }

    @Test
    @DisplayName("has priorities, delays and failures in a mix, and else none")
    void mix() {
        List<PlannedJob> mixed = jobs(plan(true, 1));
        assertEquals(
                List.of(0, 1, 2, 3),
                mixed.stream().map(PlannedJob::priority).distinct().sorted().toList());
        assertEquals(0.05, mixed.stream().filter(PlannedJob::fails).count() / (double) MANY, 0.01);
        assertEquals(0.1, mixed.stream().filter(job -> job.delayMillis() > 0).count() / (double) MANY, 0.01);
        assertTrue(jobs(plan(false, 1)).stream()
                .allMatch(job -> job.priority() == 2 && job.delayMillis() == 0 && !job.fails()));
    }
}
