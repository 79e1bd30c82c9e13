package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Job;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases that this node works on, and how many jobs of each are not done with. */
final class Leases implements Claim.Finished {

    private static final class Open {
        private final int epoch;
        private int jobs;
        private boolean certain = true;

        private Open(int epoch) {
            this.epoch = epoch;
        }
    }

    private final Map<Long, Open> open = new HashMap<>();
    private final Map<Integer, List<Long>> finished = new HashMap<>();

    /** These jobs were claimed. */
    synchronized void opened(List<Job> jobs) {
        for (Job job : jobs) {
            open.computeIfAbsent(job.lease(), lease -> new Open(job.epoch())).jobs++;
        }
    }

    /**
     * So many of its jobs are done with.
     *
     * @param certain whether it is known what became of it; otherwise its row may still bear the lease, and the rescue
     *     looks once all jobs of the lease are done with
     */
    synchronized void done(long lease, int jobs, boolean certain) {
        Open entry = open.get(lease);
        if (entry == null) {
            return;
        }
        entry.certain &= certain;
        entry.jobs -= jobs;
        if (entry.jobs == 0) {
            open.remove(lease);
            if (entry.certain) {
                finished.computeIfAbsent(entry.epoch, epoch -> new ArrayList<>())
                        .add(lease);
            }
        }
    }

    /** All leases that the rescue must leave alone: those worked on, and those finished but not yet forgotten. */
    synchronized Long[] known() {
        List<Long> known = new ArrayList<>(open.keySet());
        finished.values().forEach(known::addAll);
        return known.toArray(Long[]::new);
    }

    @Override
    public synchronized Long[] take(int epoch) {
        List<Long> leases = finished.remove(epoch);
        return leases == null ? new Long[0] : leases.toArray(Long[]::new);
    }

    @Override
    public synchronized void giveBack(int epoch, Long[] leases) {
        finished.computeIfAbsent(epoch, number -> new ArrayList<>()).addAll(List.of(leases));
    }
}
