package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Job;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Claims for {@link ClaimMode#LEASED}: on the node's own connection, for all the room that there is. */
final class LeasedClaims implements Claims {

    private final Handing handing;
    private final Leases leases;
    private final ClaimTimes times;

    LeasedClaims(Handing handing, Leases leases, ClaimTimes times) {
        this.handing = handing;
        this.leases = leases;
        this.times = times;
    }

    @Override
    public void serve(Subscription subscription, Claim claim, Workplace workplace) throws SQLException {
        int room = subscription.beginClaim(System.nanoTime());
        if (room == 0) {
            return;
        }
        List<Delivery> brought = List.of();
        try {
            List<Job> jobs = claim(subscription, room, claim);
            subscription.claimed(room, jobs.size());
            brought = deliveries(jobs, subscription, workplace);
        } finally {
            handing.hand(subscription.endClaim(brought), subscription);
        }
        if (subscription.closed()) {
            // who unsubscribed meanwhile has put back only what waited then
            subscription.drainAhead().forEach(Delivery::release);
        }
    }

    private List<Job> claim(Subscription subscription, int most, Claim claim) throws SQLException {
        long begun = System.nanoTime();
        List<Job> jobs = claim.claim(subscription.subscriber().queue(), most, subscription.kinds(), leases);
        if (!jobs.isEmpty()) {
            times.record(System.nanoTime() - begun);
            leases.opened(jobs);
        }
        return jobs;
    }

    /** What runs together: the jobs of a lease. */
    private record Batch(long lease, String kind) {}

    /** One for each job, or for all of a lease and of a kind that is handled in batches. */
    private List<Delivery> deliveries(List<Job> jobs, Subscription subscription, Workplace workplace) {
        List<Delivery> deliveries = new ArrayList<>();
        Map<Batch, List<Job>> batches = new LinkedHashMap<>();
        for (Job job : jobs) {
            if (!subscription.handles(job)) {
                handing.defer(job, workplace);
            } else if (subscription.batched(job)) {
                batches.computeIfAbsent(new Batch(job.lease(), job.kind()), batch -> new ArrayList<>())
                        .add(job);
            } else {
                deliveries.add(handing.delivery(List.of(job), workplace));
            }
        }
        batches.values().forEach(batch -> deliveries.add(handing.delivery(batch, workplace)));
        return deliveries;
    }
}
