package dev.sluice.bench.queue;

import dev.sluice.bench.option.ClaimMode;
import dev.sluice.bench.site.Database;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node is to do.
 *
 * @param url        of the database with the queue
 * @param user       the role
 * @param password   of the role
 * @param choice     the queue that is measured
 * @param queues     whose jobs it handles
 * @param workers    jobs, or lists of jobs, at the same time; each queue has one at least
 * @param batch      jobs of one claim at most
 * @param workMillis what a transaction takes beside its writes, in ms
 */
public record NodePlan(
        String url,
        String user,
        String password,
        QueueChoice choice,
        List<String> queues,
        ClaimMode mode,
        int workers,
        int batch,
        int workMillis) {

    /** The kind of jobs whose handler takes one at a time. */
    private static final String SINGLE = "enter";

    /** The kind of jobs whose handler takes a list. */
    private static final String LIST = "enter-list";

    /** The kind of all jobs. */
    public String kind() {
        return mode == ClaimMode.TRANSACTIONAL ? LIST : SINGLE;
    }

    /** How many workers each queue has. */
    public Map<String, Integer> workersOfQueues() {
        Map<String, Integer> shares = new LinkedHashMap<>();
        int left = workers;
        int queuesLeft = queues.size();
        for (String queue : queues) {
            int share = Math.max(1, left / queuesLeft);
            shares.put(queue, share);
            left -= share;
            queuesLeft--;
        }
        return shares;
    }

    /** The database with the queue. */
    public Database database() {
        return new NamedDatabase(url, user, password);
    }

    /** One that somebody else has made, and drops. */
    private record NamedDatabase(String address, String user, String password) implements Database {

        @Override
        public String url(String name) {
            if (!name.equals(QUEUE)) {
                throw new IllegalArgumentException("A node knows no database " + name);
            }
            return address;
        }

        @Override
        public void close() {}
    }
}
