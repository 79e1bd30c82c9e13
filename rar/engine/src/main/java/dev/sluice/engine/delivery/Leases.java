package dev.sluice.engine.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases that this node works on, and how many jobs of each are not done with. */
final class Leases {

    private static final class Open {
        private int jobs;
        private boolean certain = true;

        private Open(int jobs) {
            this.jobs = jobs;
        }
    }

    private final Map<Long, Open> open = new HashMap<>();
    private List<Long> finished = new ArrayList<>();

    synchronized void opened(long lease, int jobs) {
        open.put(lease, new Open(jobs));
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
                finished.add(lease);
            }
        }
    }

    /** All leases that the rescue must leave alone: those worked on, and those finished but not yet forgotten. */
    synchronized Long[] known() {
        List<Long> known = new ArrayList<>(open.keySet());
        known.addAll(finished);
        return known.toArray(Long[]::new);
    }

    /** The leases whose claims can be forgotten. */
    synchronized Long[] takeFinished() {
        Long[] taken = finished.toArray(Long[]::new);
        finished = new ArrayList<>();
        return taken;
    }

    /** They were not forgotten after all. */
    synchronized void giveBackFinished(Long[] taken) {
        finished.addAll(List.of(taken));
    }
}
