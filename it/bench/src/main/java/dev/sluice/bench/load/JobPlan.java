package dev.sluice.bench.load;

import java.util.List;
import java.util.SplittableRandom;

/** What each job of a run is, by its place in the run: the same for the same seed, whatever the threads do. */
public final class JobPlan {

    private static final int NORMAL = 2;

    /** Of ten jobs of a mix one is urgent, two are high and one is low. */
    private static final int[] PRIORITIES = {0, 1, 1, 2, 2, 2, 2, 2, 2, 3};

    private static final double DELAYED = 0.1;
    private static final int LONGEST_DELAY_MILLIS = 2_000;
    private static final double FAILING = 0.05;

    /** Odd, so that neighbours have nothing in common. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final List<String> queues;
    private final int commitLagMillis;
    private final boolean mix;
    private final long seed;

    /**
     * @param queues          that jobs are spread over in turn
     * @param commitLagMillis the longest time from an enqueue to its commit, in ms
     * @param mix             whether they have priorities and delays, and some fail
     */
    public JobPlan(List<String> queues, int commitLagMillis, boolean mix, long seed) {
        this.queues = List.copyOf(queues);
        this.commitLagMillis = commitLagMillis;
        this.mix = mix;
        this.seed = seed;
    }

    /** The job with this place in the run, from 0. */
    public PlannedJob of(long place) {
        SplittableRandom random = new SplittableRandom(seed + SPREAD * (place + 1));
        String queue = queues.get((int) (place % queues.size()));
        long number = place / queues.size() + 1;
        int lag = random.nextInt(commitLagMillis + 1);
        if (!mix) {
            return new PlannedJob(queue, number, NORMAL, 0, false, lag);
        }
        return new PlannedJob(
                queue,
                number,
                PRIORITIES[random.nextInt(PRIORITIES.length)],
                random.nextDouble() < DELAYED ? 1 + random.nextInt(LONGEST_DELAY_MILLIS) : 0,
                random.nextDouble() < FAILING,
                lag);
    }

    /** The queues. */
    public List<String> queues() {
        return queues;
    }

    /** How many of the first so many jobs are in this queue. */
    public long jobsOf(String queue, long jobs) {
        int turn = queues.indexOf(queue);
        return (jobs - turn + queues.size() - 1) / queues.size();
    }
}
