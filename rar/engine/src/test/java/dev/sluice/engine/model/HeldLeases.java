package dev.sluice.engine.model;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Job;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The leases that a node works on, as it keeps account of them. */
final class HeldLeases implements Claim.Finished {

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

    void opened(List<Job> jobs) {
        for (Job job : jobs) {
            open.computeIfAbsent(job.lease(), lease -> new Open(job.epoch())).jobs++;
        }
    }

    /** A job is done with; certain if it is known what became of it. */
    void done(Job job, boolean certain) {
        Open entry = open.get(job.lease());
        if (entry == null) {
            return;
        }
        entry.certain &= certain;
        entry.jobs--;
        if (entry.jobs == 0) {
            open.remove(job.lease());
            if (entry.certain) {
                finished.computeIfAbsent(entry.epoch, epoch -> new ArrayList<>())
                        .add(job.lease());
            }
        }
    }

    Long[] known() {
        List<Long> known = new ArrayList<>(open.keySet());
        finished.values().forEach(known::addAll);
        return known.toArray(Long[]::new);
    }

    @Override
    public Long[] take(int epoch) {
        List<Long> leases = finished.remove(epoch);
        return leases == null ? new Long[0] : leases.toArray(Long[]::new);
    }

    @Override
    public void giveBack(int epoch, Long[] leases) {
        finished.computeIfAbsent(epoch, number -> new ArrayList<>()).addAll(List.of(leases));
    }
}
