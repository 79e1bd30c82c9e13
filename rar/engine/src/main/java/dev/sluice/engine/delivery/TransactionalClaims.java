package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Claim;
import dev.sluice.engine.queue.Epochs;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Claims for {@link ClaimMode#TRANSACTIONAL}: a worker claims for itself, in the transaction that it handles the jobs in,
 * and goes on as long as it finds some. One worker is begun when jobs may be waiting; each that finds a full batch begins
 * another, as long as there are places.
 */
final class TransactionalClaims implements Claims {

    private final Handing handing;
    private final ClaimTimes times;
    /** Those of the node's present connection, as of when it was last served. */
    private volatile Epochs epochs;

    TransactionalClaims(Handing handing, ClaimTimes times) {
        this.handing = handing;
        this.times = times;
    }

    @Override
    public void serve(Subscription subscription, Claim claim, Workplace workplace) {
        epochs = claim.epochs();
        while (subscription.takePlaceToClaim(System.nanoTime())) {
            Worker worker = new Worker(subscription, workplace);
            handing.hand(List.of(handing.delivery(worker, workplace)), subscription);
        }
    }

    /** Jobs of these kinds are taken together. */
    private record Share(Kinds kinds, int most) {}

    private final class Worker implements Opening {

        private final Subscription subscription;
        private final Workplace workplace;

        Worker(Subscription subscription, Workplace workplace) {
            this.subscription = subscription;
            this.workplace = workplace;
        }

        @Override
        public List<Job> take(Connection connection) throws SQLException {
            for (Share share : shares()) {
                long begun = System.nanoTime();
                List<Job> jobs = workplace
                        .take()
                        .take(connection, epochs, subscription.subscriber().queue(), share.kinds(), share.most());
                if (!jobs.isEmpty()) {
                    times.record(System.nanoTime() - begun);
                    subscription.claimed(share.most(), jobs.size());
                    handing.changed(subscription);
                    return jobs;
                }
            }
            subscription.claimed(1, 0);
            return List.of();
        }

        /** In a new order each time, so that none is always the last, but for kinds that no handler is known of. */
        private List<Share> shares() {
            Subscriber subscriber = subscription.subscriber();
            Kinds left = subscription.kinds();
            List<Share> shares = new ArrayList<>();
            for (String kind : subscriber.batchKinds()) {
                shares.add(new Share(Kinds.only(Set.of(kind)), subscriber.batch()));
            }
            Set<String> except = new HashSet<>(left.except());
            except.addAll(subscriber.batchKinds());
            Share single = new Share(new Kinds(left.only(), except), 1);
            boolean handlesSingle =
                    subscriber.kinds().isEmpty() || !subscriber.batchKinds().containsAll(subscriber.kinds());
            if (handlesSingle) {
                shares.add(single);
            }
            Collections.shuffle(shares);
            if (!handlesSingle && left.only().isEmpty()) {
                shares.add(single);
            }
            return shares;
        }

        @Override
        public Opening again(Job job) {
            return new Retaking(this, job);
        }

        @Override
        public Delivery following() {
            return handing.delivery(this, workplace);
        }

        @Override
        public boolean handles(Job job) {
            return subscription.handles(job);
        }
    }

    /** One job of a batch that was rolled back; after it the worker goes on. */
    private record Retaking(Worker worker, Job job) implements Opening {

        @Override
        public List<Job> take(Connection connection) throws SQLException {
            return worker.workplace.take().retake(connection, job) ? List.of(job) : List.of();
        }

        @Override
        public Opening again(Job same) {
            return this;
        }

        @Override
        public Delivery following() {
            return worker.following();
        }

        @Override
        public boolean handles(Job same) {
            return true;
        }
    }
}
